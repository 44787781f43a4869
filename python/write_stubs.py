"""Writes the types of what takes the engine's options as keywords, from the sources and the engine's own tables.

    write_stubs.py FOLDER_OF_ENGINE SOURCES OUT      one .pyi for each module with an `**options` in a signature
"""

import ast
import sys
from pathlib import Path

#: What only a selection takes.
ANSWER = ("resample", "time_limit", "k_rule", "max_k", "control")
#: Module -> the tables whose options its `**options` stands for, and those that a later table may not repeat.
MODULES = {
    "selector": (("select", "train"), ()),
    "evaluation": (("evaluate", "select", "train"), ANSWER),
    "comparison": (("compare", "select", "train"), ("method", "complement", *ANSWER)),
}
#: What options of Python take beside what the engine takes.
MORE_TYPES = {"resample": "Splitter | Iterable[tuple[Any, Any]]"}


def type_of(option):
    """The type of an option as it is written in Python."""
    base = option["type"].removesuffix(", ...")
    several = base != option["type"]
    numbered = any(word.endswith(":N") for word in option["words"])  # which no Literal can say
    if base == "str" and option["words"] and not numbered:
        base = f"Literal[{', '.join(map(repr, option['words']))}]"
    parts = [base]
    if several:
        parts.append(f"Sequence[{base}]")
    if base == "float":
        parts.append("str")  # a percentage, or a word
    elif base == "int" and option["words"]:
        parts.append(f"Literal[{', '.join(map(repr, option['words']))}]")
    if option["default"] is None:
        parts.append("None")
    if option["name"] in MORE_TYPES:
        parts.append(MORE_TYPES[option["name"]])
    return " | ".join(parts)


def keywords(tables, names, left_out):
    """One for each option, as `ast.arg` with its default."""
    options = {}
    for name in names:
        for option in tables[name]:
            if option["name"] not in left_out:
                options.setdefault(option["name"], option)
    for option in options.values():
        yield (ast.arg(option["name"], ast.parse(type_of(option), mode="eval").body),
               ast.parse(repr(option["default"]), mode="eval").body)


class Stub(ast.NodeTransformer):
    """Bodies and docstrings go; `**options` becomes what it stands for."""

    def __init__(self, options, own):
        self.options = options
        self.own = own  # keywords of Python alone

    def visit_FunctionDef(self, node):
        if node.name.startswith("_") and not node.name.startswith("__") and node.name != "_repr_html_":
            return None
        if any(isinstance(d, ast.Attribute) for d in node.decorator_list):
            return None
        node.decorator_list = [d for d in node.decorator_list if isinstance(d, ast.Name)]
        if node.args.kwarg is not None and node.args.kwarg.arg == "options":
            node.args.kwarg = None
            pairs = list(self.options)
            if node.args.vararg is not None:  # the first may also be given by position
                node.args.vararg = None
                place = next(i for i, (arg, _) in enumerate(pairs) if arg.arg == "k")
                arg, default = pairs.pop(place)
                node.args.args.append(arg)
                node.args.defaults.append(default)
                pairs += self.own
            node.args.kwonlyargs += [arg for arg, _ in pairs]
            node.args.kw_defaults += [default for _, default in pairs]
        node.body = [ast.Expr(ast.Constant(...))]
        return node

    def visit_ClassDef(self, node):
        self.generic_visit(node)
        node.body = [part for part in node.body if isinstance(part, (ast.FunctionDef, ast.AnnAssign))] or [
            ast.Expr(ast.Constant(...))]
        return node


def own_keywords(tree):
    """Those of the table `_OWN`, where a module has one: default, type and explanation of each."""
    for part in tree.body:
        if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "_OWN":
            for name, (default, kind, _) in ast.literal_eval(part.value).items():
                yield ast.arg(name, ast.parse(kind, mode="eval").body), ast.Constant(default)


def stub(source, options):
    tree = ast.parse(source)
    tree = Stub(options, list(own_keywords(tree))).visit(tree)
    kept = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef)
    tree.body = [part for part in tree.body if isinstance(part, kept)]
    head = "from collections.abc import Iterable, Mapping, Sequence\nfrom typing import Literal\n"
    return head + ast.unparse(ast.fix_missing_locations(tree)).replace("from __future__ import annotations\n", "") + "\n"


def main(engine, sources, out):
    sys.path.insert(0, engine)
    import _engine

    tables = _engine.options()
    for module, (names, left_out) in MODULES.items():
        options = list(keywords(tables, names, left_out))
        Path(out, f"{module}.pyi").write_text(stub(Path(sources, f"{module}.py").read_text(), options))


if __name__ == "__main__":
    main(*sys.argv[1:])
