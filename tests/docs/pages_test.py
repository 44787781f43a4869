"""Holds the pages against the program.

pages_test.py readme ROOT COMMAND PROGRAM   runs the `sh` blocks of README.md in order in an empty folder, and where its
                                            C++ program stands, the program; a `text` block right behind is the output
pages_test.py links ROOT                    every relative link of every page leads to a file
pages_test.py options ROOT COMMAND          docs/options.md is what `obverse options --markdown` writes

Output is compared word by word, wherever lines are broken. In shown output the word `...` stands for any words, and
numbers, bars and pictures for any others: processors differ in the last bits of a sum, and so in scores and times.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"^\s*(?:\.\.|##){4,}$", re.MULTILINE)
BAR = re.compile(r"(?<=\s)#+(?=\s)")
TIMING = re.compile(r"(\d+ min )?\d[\d.]* s\b")
NUMBER = re.compile(r"-?\d(?:[\d,.]*\d)?(?:e[+-]?\d+)?")
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def words(text):
    """The words of an output, what may differ made equal."""
    text = PICTURE.sub("[picture]", BAR.sub("", text))
    return NUMBER.sub("[number]", TIMING.sub("[time]", text)).split()


def pattern(shown):
    """What the words of the real output, a blank behind each, must match."""
    return re.compile("".join(r"(?:\S+ )*" if word == "..." else re.escape(word) + " " for word in words(shown)))


def check_readme(root, command, program):
    with tempfile.TemporaryDirectory() as room:
        bin_folder = pathlib.Path(room, "bin")
        bin_folder.mkdir()
        (bin_folder / "obverse").symlink_to(pathlib.Path(command).resolve())
        work = pathlib.Path(room, "work")
        work.mkdir()
        environment = {**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}
        blocks = list(FENCE.finditer((root / "README.md").read_text()))
        ran = 0
        for block, following in zip(blocks, blocks[1:] + [None]):
            kind, body = block.groups()
            if kind not in ("sh", "cpp"):
                continue
            what = ["bash", "-e", "-c", body] if kind == "sh" else [str(pathlib.Path(program).resolve())]
            done = subprocess.run(what, cwd=work, env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f"README.md: ended with {done.returncode}:\n{body}\n{done.stdout}{done.stderr}")
            ran += 1
            if following is None or following.group(1) != "text":
                continue
            if not pattern(following.group(2)).fullmatch("".join(word + " " for word in words(done.stdout))):
                sys.exit(f"README.md shows for\n{body}\nthis:\n{following.group(2)}\nbut the output is:\n{done.stdout}")
        if ran == 0:
            sys.exit("README.md has no sh block to run")


def check_links(root):
    pages = [*root.glob("*.md"), *root.glob("docs/*.md")]
    missing = [
        f"{page.relative_to(root)}: {target}"
        for page in pages
        for target in LINK.findall(page.read_text())
        if "://" not in target and not (page.parent / target).exists()
    ]
    if missing:
        sys.exit("links that lead nowhere:\n" + "\n".join(missing))


def check_options(root, command):
    written = subprocess.run([command, "options", "--markdown"], capture_output=True, text=True, check=True).stdout
    if written != (root / "docs/options.md").read_text():
        sys.exit("docs/options.md is not what the command writes; run `make docs`")


if __name__ == "__main__":
    mode, root, *rest = sys.argv[1:]
    {"readme": check_readme, "links": check_links, "options": check_options}[mode](pathlib.Path(root), *rest)
