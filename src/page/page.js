// What is alive on a report page: the theme, tables that sort and filter, figures that can be saved, values on hover
// and focus, series that can be switched, code that can be copied, and the explorer of a ranking. Without it the page still reads and prints.
"use strict";

(() => {
  // The theme, before anything is drawn: that of the system until the reader chooses one. Storage may be forbidden.
  const root = document.documentElement;
  const systemDark = matchMedia("(prefers-color-scheme: dark)");
  const stored = {
    get: () => { try { return localStorage.getItem("obverse-theme"); } catch { return null; } },
    set: (theme) => { try { localStorage.setItem("obverse-theme", theme); } catch { /* lasts for this page only */ } },
  };
  if (["light", "dark"].includes(stored.get())) root.dataset.theme = stored.get();
  root.classList.add("alive");

  /// An element with attributes and children; texts become text nodes, never markup.
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function shape(name, attributes = {}, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function button(text, action, attributes = {}) {
    const made = element("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", () => action(made));
    return made;
  }

  /// Control characters, and those that turn the direction of the text around them, as \n or \u202e.
  function visible(text) {
    const words = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
      (c) => words[c] ?? "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
  }

  const withCommas = (count) => count.toLocaleString("en-GB");

  // ---- Saving ----

  function save(name, type, text) {
    const link = element("a", { download: name.replace(/[^\w.-]+/g, "-"), hidden: "" });
    link.href = URL.createObjectURL(new Blob([text], { type }));
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }

  const csvField = (text) => (/[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csvText = (lines) => lines.map((fields) => fields.map(csvField).join(",") + "\n").join("");

  const styleNames = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
    "stroke-linejoin", "stroke-opacity", "opacity", "font-family", "font-size", "font-weight", "text-anchor",
    "dominant-baseline", "image-rendering", "shape-rendering", "paint-order"];

  /// The figure as it stands on the page, as a file of its own: styles inside, a background behind.
  function standaloneSvg(svg) {
    const copy = svg.cloneNode(true);
    const originals = [svg, ...svg.querySelectorAll("*")];
    const copies = [copy, ...copy.querySelectorAll("*")];
    originals.forEach((original, i) => {
      const style = getComputedStyle(original);
      const twin = copies[i];
      if (style.display === "none" && !["title", "desc", "defs"].includes(original.localName)) {
        twin.remove();
        return;
      }
      for (const name of styleNames) {
        const value = style.getPropertyValue(name);
        if (value) twin.style.setProperty(name, value);
      }
      for (const name of ["class", "tabindex", "data-tip", "data-pixels", "data-place",
        "data-places", "data-step"]) twin.removeAttribute(name);
    });
    const box = svg.viewBox.baseVal;
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", box.width);
    copy.setAttribute("height", box.height);
    const paper = getComputedStyle(svg.closest("section") ?? document.body).backgroundColor;
    const behind = shape("rect", { x: box.x, y: box.y, width: box.width, height: box.height, fill: paper });
    copy.querySelector("title") ? copy.querySelector("title").after(behind) : copy.prepend(behind);
    return new XMLSerializer().serializeToString(copy) + "\n";
  }

  /// Adds the buttons to a figure. `csv`: a function that gives the data, where they are not in the markup.
  function enliven(figure, csv) {
    const name = figure.dataset.name || "figure";
    const tools = element("div", { class: "tools" });
    const svg = figure.querySelector("svg");
    if (svg) tools.append(button("Save SVG", () => save(name + ".svg", "image/svg+xml", standaloneSvg(svg))));
    const data = figure.querySelector('script[type="text/csv"]');
    // A script element cannot hold every text, so '<' stands there as \u003c.
    const given = csv ?? (data && (() => data.textContent.trimStart().replaceAll("\\u003c", "<")));
    if (given) tools.append(button("Save CSV", () => save(name + ".csv", "text/csv", given())));
    figure.append(tools);
  }

  // ---- Tables ----

  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const cellText = (cell) => cell.dataset.value ?? cell.textContent.trim();

  /// Orders cells of one column; a number that is missing comes last either way.
  function comparison(column, direction) {
    return (a, b) => {
      const [first, second] = [a.cells[column], b.cells[column]];
      if (!first.classList.contains("number")) return direction * collator.compare(cellText(first), cellText(second));
      const [x, y] = [first, second].map((cell) => (cellText(cell) === "" ? NaN : Number(cellText(cell))));
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return direction * (x - y);
    };
  }

  /// Makes a table sort, filter and save. `data-limit` is how many rows are shown before the reader asks for all.
  function enlivenTable(table) {
    const body = table.tBodies[0];
    const headers = [...table.tHead.rows[0].cells];
    const titles = headers.map((header) => header.textContent.trim());
    const name = table.dataset.name || "table";
    let rows = [...body.rows];
    let limit = Number(table.dataset.limit) || Infinity;
    let sorted = null;
    let wanted = "";

    const matching = () => {
      const found = rows.filter((row) => !wanted || row.textContent.toLowerCase().includes(wanted));
      return sorted ? found.sort(comparison(sorted.column, sorted.direction)) : found;
    };
    const counted = element("span", { class: "counted", role: "status" });
    const more = button("", () => { limit = Infinity; show(); });

    function show() {
      const found = matching();
      const passed = new Set(found);
      for (const row of rows) row.hidden = true;
      for (const row of found.slice(0, limit)) row.hidden = false;
      body.replaceChildren(...found, ...rows.filter((row) => !passed.has(row)));
      counted.textContent = wanted ? `${withCommas(found.length)} of ${withCommas(rows.length)} rows` : "";
      more.hidden = found.length <= limit;
      more.textContent = `Show all ${withCommas(found.length)} rows`;
    }

    if ("sortable" in table.dataset) {
      headers.forEach((header, column) => {
        const press = button("", () => {
          const direction = sorted?.column === column ? -sorted.direction : 1;
          sorted = { column, direction };
          for (const other of headers) other.removeAttribute("aria-sort");
          header.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
          show();
        }, { class: "sort" });
        press.append(...header.childNodes);
        header.append(press);
      });
    }

    const tools = element("div", { class: "tools" });
    if ("filterable" in table.dataset) {
      const field = element("input", { type: "search", placeholder: "Filter", "aria-label": "Filter the rows",
        autocomplete: "off", spellcheck: "false" });
      field.addEventListener("input", () => { wanted = field.value.trim().toLowerCase(); show(); });
      tools.append(field, counted, element("span", { class: "spring" }));
    }
    tools.append(button("Save CSV", () => {
      const lines = matching().filter((row) => !row.classList.contains("series-off"));
      save(name + ".csv", "text/csv", csvText([titles, ...lines.map((row) => [...row.cells].map(cellText))]));
    }));

    let scroll = table.closest(".scroll");
    if (!scroll) {
      scroll = element("div", { class: "scroll" });
      table.replaceWith(scroll);
      scroll.append(table);
    }
    const label = table.caption?.textContent || titles.join(", ");
    for (const [key, value] of Object.entries({ role: "region", tabindex: "0", "aria-label": label })) {
      scroll.setAttribute(key, value);
    }
    scroll.before(tools);
    scroll.after(more);
    show();
    return { tools, setRows: (given) => { rows = given; show(); } };
  }

  // ---- Values on hover and focus ----

  const tip = element("div", { class: "tip", role: "tooltip", hidden: "" });

  function showTip(text, x, y) {
    tip.textContent = visible(text);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, x - box.width / 2), innerWidth - box.width - 8);
    const top = y - box.height - 12 < 4 ? y + 18 : y - box.height - 12;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${top}px`;
  }

  const hideTip = () => { tip.hidden = true; };

  function watchTips() {
    document.body.append(tip);
    const above = (target) => (target instanceof Element ? target.closest("[data-tip]") : null);
    document.addEventListener("pointermove", (event) => {
      const over = above(event.target);
      if (over) showTip(over.dataset.tip, event.clientX, event.clientY);
      else if (!event.target.closest?.("[data-pixels]")) hideTip();
    });
    document.addEventListener("focusin", (event) => {
      const over = above(event.target);
      if (!over) return;
      const box = over.getBoundingClientRect();
      showTip(over.dataset.tip, box.x + box.width / 2, box.y);
    });
    document.addEventListener("focusout", hideTip);
    document.addEventListener("scroll", hideTip, { capture: true, passive: true });
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
  }

  // ---- Series ----

  function watchToggles() {
    document.addEventListener("click", (event) => {
      const pressed = event.target instanceof Element ? event.target.closest("[data-toggle]") : null;
      if (!pressed) return;
      const series = pressed.dataset.toggle;
      const on = pressed.getAttribute("aria-pressed") !== "true";
      const scope = pressed.closest("section") ?? document.body;
      for (const other of scope.querySelectorAll("[data-toggle]")) {
        if (other.dataset.toggle === series) other.setAttribute("aria-pressed", String(on));
      }
      for (const part of scope.querySelectorAll("[data-series]")) {
        if (part.dataset.series === series) part.classList.toggle("series-off", !on);
      }
    });
  }

  // ---- The explorer of a ranking ----

  // From blue over white to red, for shares from 0 to 1; told apart with every common colour vision.
  const scale = [[33, 102, 172], [146, 197, 222], [247, 247, 247], [244, 165, 130], [178, 24, 43]];

  function heat(share) {
    const at = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
    const low = Math.min(Math.floor(at), scale.length - 2);
    return scale[low].map((value, i) => Math.round(value + (at - low) * (scale[low + 1][i] - value)));
  }

  /// A picture as PNG in a URL. `colour`: from pixel number to [red, green, blue].
  function pictureUrl(width, height, colour) {
    const canvas = element("canvas", { width, height });
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(width, height);
    for (let i = 0; i < width * height; ++i) pixels.data.set([...colour(i), 255], 4 * i);
    context.putImageData(pixels, 0, 0);
    return canvas.toDataURL();
  }

  /// A path over the pixels that are wanted, the runs of a row in one rectangle.
  function pixelPath(width, height, wanted) {
    let path = "";
    for (let y = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x) {
        if (!wanted(y * width + x)) continue;
        const from = x;
        while (x + 1 < width && wanted(y * width + x + 1)) ++x;
        path += `M${from} ${y}h${x + 1 - from}v1h${from - x - 1}z`;
      }
    }
    return path;
  }

  const picture = (title, box, ...children) =>
    shape("svg", { role: "img", viewBox: box, class: "picture" }, shape("title", {}, title), ...children);

  /// The smallest and the largest number; null stands for one without a limit and does not count.
  function extremes(numbers) {
    let [least, most] = [Infinity, -Infinity];
    for (const number of numbers) {
      if (number === null) continue;
      least = Math.min(least, number);
      most = Math.max(most, number);
    }
    return [least, most];
  }

  function figureOf(name, caption, svg) {
    return element("figure", { class: "figure", "data-name": name }, element("figcaption", {}, caption), svg);
  }

  /// Names in the lead; further ones are counted.
  const namesInLead = 12;

  /// The parts of the page that say how many features there are. With the number that was selected they stand as they
  /// were written.
  class Lead {
    constructor(explorer) {
      this.explorer = explorer;
      this.heading = document.querySelector("h1");
      this.guide = document.querySelector("svg .guide");
      this.parts = new Map([...document.querySelectorAll("[data-follow]")].map((e) => [e.dataset.follow, e]));
      this.written = [this.heading, ...this.parts.values()].map((part) => [part, [...part.childNodes]]);
      this.title = document.title;
    }

    set(part, ...children) {
      this.parts.get(part)?.replaceChildren(...children);
    }

    show(k, size) {
      this.moveGuide(size);
      if (k === this.explorer.k) {
        this.entitle(this.title);
        for (const [part, children] of this.written) part.replaceChildren(...children);
        return;
      }
      const { question } = this.explorer;
      this.entitle(question.before + withCommas(k) + (k === 1 ? question.after_one : question.after_many));
      this.set("answer", `The first ${k === 1 ? "feature" : withCommas(k)} of the ranking; `
        + `${withCommas(this.explorer.k)} ${this.explorer.k === 1 ? "was" : "were"} selected:`);
      this.showNames(k);
      if (!size) return;
      this.set("score", size.score);
      this.set("details", size.k === k ? size.details : `measured with ${features(size.k)}: ${size.details}`);
    }

    entitle(title) {
      document.title = title;
      this.heading.textContent = visible(title);
      this.explorer.title = title;
      this.explorer.place.setAttribute("aria-label", title);
    }

    showNames(k) {
      const shown = this.explorer.order.slice(0, Math.min(k, namesInLead));
      const names = shown.map((feature) => element("li", {}, element("bdi", {}, this.excerpt(feature))));
      if (k > shown.length) {
        const more = element("a", { href: "#features" }, `${withCommas(k - shown.length)} more`);
        names.push(element("li", { class: "rest" }, "and ", more));
      }
      this.set("names", ...names);
    }

    excerpt(feature) {
      const letters = [...visible(this.explorer.nameOf(feature))];
      return letters.length > 60 ? letters.slice(0, 59).join("") + "…" : letters.join("");
    }

    /// To the size that was measured; one that the figure does not show has no place in it.
    moveGuide(size) {
      if (!this.guide) return;
      const { place, step, places } = this.guide.dataset;
      const at = this.explorer.measured.indexOf(size);
      this.guide.setAttribute("visibility", at < Number(places) ? "visible" : "hidden");
      this.guide.setAttribute("transform", `translate(${(at - Number(place)) * Number(step)} 0)`);
    }
  }

  const features = (count) => (count === 1 ? "1 feature" : `${withCommas(count)} features`);

  class Explorer {
    constructor(place) {
      this.place = place;
      this.name = place.dataset.source;
      const data = JSON.parse(document.getElementById(this.name).textContent);
      Object.assign(this, data);
      this.truth = data.truth ? new Set(data.truth) : null;
      this.examples = data.examples ?? [];
      this.total = data.total ?? data.scores.length;
      this.rank = new Map(this.order.map((feature, i) => [feature, i + 1]));
      this.levels = data.picture ?? data.scores;
      this.largest = extremes(this.scores)[1];
      this.rows = [];
      this.lead = this.question ? new Lead(this) : null;
      this.addControls();
      if (this.image) this.addPictures();
      this.addTable();
      this.show(this.k);
    }

    nameOf(feature) {
      if (this.names) return this.names[feature];
      if (!this.image) return String(feature + 1);
      return `pixel_${Math.floor(feature / this.image.width)}_${feature % this.image.width}`;
    }

    scoreText(feature) {
      const score = this.scores[feature];
      if (score === null) return "∞";
      const size = Math.abs(score);
      if (size >= 1000) return withCommas(Math.round(score));
      return size === 0 ? "0" : size < 0.001 ? score.toExponential(2) : score.toPrecision(3);
    }

    addControls() {
      const most = String(this.order.length);
      const id = `${this.name}-k`;
      const bounds = { min: "1", max: most, step: "1" };
      this.slider = element("input", { type: "range", ...bounds, "aria-label": "Number of features" });
      this.field = element("input", { type: "number", ...bounds, id });
      this.result = element("output", { for: id, "aria-live": "polite" });
      this.slider.addEventListener("input", () => this.show(this.slider.valueAsNumber));
      this.field.addEventListener("input", () => this.show(this.field.valueAsNumber, this.field));
      this.field.addEventListener("change", () => this.show(this.field.valueAsNumber));
      this.place.setAttribute("role", "group");
      this.place.setAttribute("aria-label", this.title);
      this.place.append(element("div", { class: "controls" }, element("label", { for: id }, "Features"), this.slider,
        this.field, this.result));
      if (!this.measured) return;
      this.score = element("output", { for: id, class: "measured", "aria-live": "polite" });
      this.result.after(this.score);
    }

    /// What was measured with the number of features that is nearest to k; the smaller of two.
    nearest(k) {
      const away = (size) => Math.abs(size.k - k);
      return this.measured?.reduce((best, size) => (away(size) < away(best) ? size : best));
    }

    addPictures() {
      const { width, height } = this.image;
      const box = `0 0 ${width} ${height}`;
      const whole = { x: 0, y: 0, width, height };
      const place = element("div", { class: "pictures" });
      this.place.append(place);

      const [least, most] = extremes(this.levels);
      const level = (i) => (this.levels[i] === null ? 1 : (this.levels[i] - least) / (most - least || 1));
      const url = pictureUrl(width, height, (i) => heat(level(i)));
      const mask = picture(`${this.title}: scores of all ${withCommas(width * height)} pixels`, box,
        shape("image", { ...whole, href: url }));
      const caption = `${this.picture_title ?? "Scores"}, blue (lowest) to red (highest)`;
      const maskFigure = figureOf(`${this.name}-scores`, caption, mask);
      this.selected = shape("path", { class: "chosen" });
      const chosen = picture("", box, shape("rect", { ...whole, class: "cover" }), this.selected);
      this.selectedTitle = chosen.querySelector("title");
      const chosenFigure = figureOf(`${this.name}-selected`, "Selected pixels", chosen);
      place.append(maskFigure, chosenFigure);

      const lines = () => csvText([["row", "column", "score", "rank"], ...this.scores.map((score, i) =>
        [String(Math.floor(i / width)), String(i % width), String(score ?? "inf"), String(this.rank.get(i) ?? "")])]);
      enliven(maskFigure, lines);
      enliven(chosenFigure, lines);
      for (const svg of [mask, chosen]) this.watchPixels(svg);
      this.covers = [];
      if (this.examples.length) this.addExamples();
    }

    /// A picture of each class, and below it the same with the selected pixels only.
    addExamples() {
      const { width, height } = this.image;
      const urls = this.examples.map(({ pixels }) => {
        const bytes = atob(pixels);
        return pictureUrl(width, height, (i) => Array(3).fill(bytes.charCodeAt(i)));
      });
      const figure = element("figure", { class: "figure examples", "data-name": `${this.name}-examples` },
        element("figcaption", {}, "An example of each class, whole and with the selected pixels only"));
      const narrow = matchMedia("(max-width: 40rem)");
      const draw = () => {
        const columns = Math.min(this.examples.length, narrow.matches ? 5 : 10);
        const [cell, gap, label] = [100, 10, 26];
        const tall = (cell * height) / width;
        const pair = label + 2 * tall + 3 * gap;
        const lines = Math.ceil(this.examples.length / columns);
        const svg = shape("svg", { role: "img", viewBox: `0 0 ${columns * (cell + gap) - gap} ${lines * pair}`,
          class: "picture" }, shape("title", {}, `Examples of ${this.examples.length} classes`));
        this.covers = this.examples.map((example, i) => {
          const x = (i % columns) * (cell + gap);
          const y = Math.floor(i / columns) * pair;
          const cover = shape("path", { class: "cover" });
          const image = () => shape("image", { x: 0, y: 0, width, height, href: urls[i] });
          const at = (top, ...children) =>
            shape("g", { transform: `translate(${x} ${top}) scale(${cell / width})` }, ...children);
          const text = shape("text", { class: "label", x: x + cell / 2, y: y + 18, "text-anchor": "middle" });
          text.textContent = visible(example.label);
          svg.append(text, at(y + label, image()), at(y + label + tall + gap, image(), cover));
          return cover;
        });
        figure.querySelector("svg")?.remove();
        figure.querySelector(".tools")?.remove();
        figure.append(svg);
        enliven(figure, () => csvText([["class", "row", "column", "value", "selected"],
          ...this.examples.flatMap(({ label: of, pixels }) => Array.from(atob(pixels), (byte, i) => [of,
            String(Math.floor(i / width)), String(i % width), String(byte.charCodeAt(0)),
            this.rank.get(i) <= this.shown ? "1" : "0"]))]));
        if (this.shown) this.drawPixels(this.shown);
      };
      draw();
      narrow.addEventListener("change", draw);
      this.place.append(figure);
    }

    /// Row, column, score and rank of the pixel under the pointer.
    watchPixels(svg) {
      svg.dataset.pixels = "";
      svg.addEventListener("pointermove", (event) => {
        const box = svg.getBoundingClientRect();
        const x = Math.floor(((event.clientX - box.x) / box.width) * this.image.width);
        const y = Math.floor(((event.clientY - box.y) / box.height) * this.image.height);
        const pixel = y * this.image.width + x;
        if (x < 0 || y < 0 || x >= this.image.width || y >= this.image.height) return;
        const rank = this.rank.has(pixel) ? `, rank ${withCommas(this.rank.get(pixel))}` : "";
        showTip(`row ${y}, column ${x}: score ${this.scoreText(pixel)}${rank}`, event.clientX, event.clientY);
      });
      svg.addEventListener("pointerleave", hideTip);
    }

    addTable() {
      const heads = [["Rank", "number"], ["Feature", ""], ["Score", "number score"]];
      if (this.frequency) heads.push(["Selected by", "number"]);
      if (this.truth) heads.push(["Truth", ""]);
      const cells = heads.map(([text, kind]) => element("th", { class: kind, scope: "col" }, text));
      const table = element("table", { class: "data ranking", "data-name": `${this.name}-features`, "data-sortable": "",
        "data-filterable": "", "data-limit": "200" }, element("thead", {}, element("tr", {}, ...cells)),
        element("tbody"));
      this.place.append(table);
      this.table = enlivenTable(table);
      const copied = element("span", { class: "counted", role: "status" });
      this.table.tools.querySelector(".spring").after(copied, button("Copy names", async () => {
        const names = this.order.slice(0, this.shown).map((feature) => this.nameOf(feature));
        const done = await copyText(names.join("\n"));
        copied.textContent = done ? `${withCommas(names.length)} names copied` : "The browser refused to copy";
        setTimeout(() => { copied.textContent = ""; }, 4000);
      }));
    }

    row(i) {
      const feature = this.order[i];
      const number = (text, value) => element("td", { class: "number", "data-value": value }, text);
      const name = this.nameOf(feature);
      const cells = [number(withCommas(i + 1), i + 1),
        element("td", { "data-value": name, class: "name" }, element("bdi", {}, visible(name))),
        this.scoreCell(feature)];
      if (this.frequency) {
        cells.push(number(`${Math.round(100 * this.frequency[feature])} %`, this.frequency[feature]));
      }
      if (this.truth) {
        const real = this.truth.has(feature);
        const mark = element("span", { class: real ? "mark yes" : "mark no" }, real ? "true" : "noise");
        cells.push(element("td", {}, mark));
      }
      return element("tr", {}, ...cells);
    }

    /// The score, and a bar as long as its share of the largest.
    scoreCell(feature) {
      const score = this.scores[feature];
      const share = score === null ? 1 : this.largest > 0 ? Math.max(0, score / this.largest) : 0;
      const bar = element("span", { class: "bar" });
      bar.style.width = `${(100 * share).toFixed(1)}%`;
      return element("td", { class: "number score", "data-value": score ?? "Infinity" },
        element("span", { class: "with-bar" }, element("span", { class: "rail" }, bar), this.scoreText(feature)));
    }

    drawPixels(k) {
      const { width, height } = this.image;
      const among = (i) => this.rank.get(i) <= k;
      this.selected.setAttribute("d", pixelPath(width, height, among));
      this.selectedTitle.textContent = `${this.title}: the ${withCommas(k)} selected pixels`;
      const covered = pixelPath(width, height, (i) => !among(i));
      for (const cover of this.covers) cover.setAttribute("d", covered);
    }

    /// Shows the first k features. `typing`: the field the reader is in, whose text is left alone.
    show(asked, typing) {
      const k = Number.isFinite(asked) ? Math.min(Math.max(1, Math.round(asked)), this.order.length) : this.shown;
      this.slider.value = String(k);
      if (this.field !== typing) this.field.value = String(k);
      if (k === this.shown) return;
      this.shown = k;
      const size = this.nearest(k);
      this.lead?.show(k, size);
      if (size) {
        this.score.textContent = `${size.k === k ? "With" : "Measured with"} ${features(size.k)}: ${size.line}`;
      }
      while (this.rows.length < k) this.rows.push(this.row(this.rows.length));
      this.table.setRows(this.rows.slice(0, k));
      if (this.image) this.drawPixels(k);
      let text = `Best ${withCommas(k)} of ${withCommas(this.total)} features`;
      if (this.truth) {
        const found = this.order.slice(0, k).filter((feature) => this.truth.has(feature)).length;
        text += `, ${withCommas(found)} of the ${withCommas(this.truth.size)} true ones among them`;
      }
      this.result.textContent = text;
    }
  }

  /// Draws an explorer; one that is folded away waits until it is unfolded.
  function explore(place) {
    const folded = place.closest("details:not([open])");
    if (folded) folded.addEventListener("toggle", () => explore(place), { once: true });
    else new Explorer(place);
  }

  /// Whether the text went to the clipboard. Pages opened from disk may be refused the newer way.
  async function copyText(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = element("textarea", { readonly: "", class: "aside" });
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  /// Adds a button that copies the code.
  function enlivenCode(block) {
    const copied = element("span", { class: "counted", role: "status" });
    const press = button("Copy", async () => {
      const done = await copyText(block.querySelector("code").textContent);
      copied.textContent = done ? "Copied" : "The browser refused to copy";
      setTimeout(() => { copied.textContent = ""; }, 4000);
    }, { "aria-label": `Copy ${block.dataset.name}` });
    block.prepend(element("div", { class: "tools" }, copied, press));
  }

  // ---- The page ----

  function addThemeButton() {
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
    const label = () => (dark() ? "Light" : "Dark");
    const press = button(label(), () => {
      root.dataset.theme = dark() ? "light" : "dark";
      stored.set(root.dataset.theme);
      press.textContent = label();
    }, { class: "theme", title: "Switch between light and dark colours" });
    systemDark.addEventListener("change", () => { press.textContent = label(); });
    document.querySelector(".masthead")?.append(press);
  }

  /// Marks the section that is being read in the list of sections.
  function watchSections() {
    const links = new Map([...document.querySelectorAll("nav a")].map((a) => [a.getAttribute("href").slice(1), a]));
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        const link = links.get(entry.target.id);
        link?.setAttribute("aria-current", "true");
        if (link) link.closest("nav").scrollLeft = link.offsetLeft - link.closest("nav").offsetLeft - 40;
      }
    }, { rootMargin: "-20% 0px -70% 0px" });
    for (const section of document.querySelectorAll("main > section")) watcher.observe(section);
  }

  document.addEventListener("DOMContentLoaded", () => {
    addThemeButton();
    for (const figure of document.querySelectorAll("figure.figure")) enliven(figure);
    for (const table of document.querySelectorAll("table.data")) enlivenTable(table);
    for (const place of document.querySelectorAll(".explorer[data-source]")) explore(place);
    for (const block of document.querySelectorAll(".code")) enlivenCode(block);
    watchTips();
    watchToggles();
    watchSections();
  });
})();
