"use strict";
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));

  /* Tables: click a head to sort, type in the field above to filter. */
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b);
    return typeof a === "number" ? -1 : 1;
  };
  const sortBy = (table, head) => {
    const column = head.cellIndex;
    const numeric = head.classList.contains("num") && column > 0;
    const now = head.getAttribute("aria-sort");
    const order = now ? (now === "ascending" ? "descending" : "ascending")
      : numeric ? "descending" : "ascending";
    all("th[aria-sort]", table.tHead).forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const rows = Array.from(table.tBodies[0].rows, (row) => [valueOf(row, column), row]);
    rows.sort((a, b) => sign * compare(a[0], b[0]));
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
  };
  for (const table of all("table.sortable")) {
    for (const head of table.tHead.rows[0].cells) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, head));
      head.append(button);
    }
  }
  for (const field of all("input[data-filters]")) {
    const rows = Array.from(document.getElementById(field.dataset.filters).tBodies[0].rows);
    const counter = document.querySelector(`[data-counts="${field.dataset.filters}"]`);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const whole = counter.textContent;
    field.closest(".tools").hidden = false;
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, i) => {
        row.hidden = !words.every((word) => texts[i].includes(word));
        shown += row.hidden ? 0 : 1;
      });
      counter.textContent = words.length ? `${shown} of ${whole}` : whole;
    });
  }

  /* The graph: choosing a name highlights its sources, or the columns computed from it. */
  const graph = document.querySelector(".graph");
  if (graph) {
    const nodes = new Map(all(".node", graph).map((node) => [node.dataset.key, node]));
    const paths = all("path", graph);
    const says = document.querySelector(".says");
    let chosen = null;
    const light = (node) => {
      graph.classList.toggle("lit", node !== null);
      all(".on", graph).forEach((each) => each.classList.remove("on"));
      says.textContent = node ? node.dataset.says : "";
      if (!node) return;
      node.classList.add("on");
      for (const path of paths) {
        const { source, target } = path.dataset;
        if (source !== node.dataset.key && target !== node.dataset.key) continue;
        path.classList.add("on");
        nodes.get(source).classList.add("on");
        nodes.get(target).classList.add("on");
      }
    };
    const choose = (node) => {
      chosen = node === chosen ? null : node;
      nodes.forEach((each) => each.setAttribute("aria-pressed", String(each === chosen)));
      light(chosen);
    };
    nodes.forEach((node) => {
      node.addEventListener("click", () => choose(node));
      node.addEventListener("mouseenter", () => { if (!chosen) light(node); });
      node.addEventListener("mouseleave", () => { if (!chosen) light(null); });
    });
    graph.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && chosen) choose(chosen);
    });
  }

  /* The section that is being read, in the list of sections. */
  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.removeAttribute("aria-current"));
      links.get(entry.target.id)?.setAttribute("aria-current", "location");
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  all("main > section").forEach((section) => seen.observe(section));

  for (const block of all("pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    const code = block.querySelector("code");
    button.addEventListener("click", async () => {
      getSelection().selectAllChildren(code);
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Selected";
      }
    });
    block.append(button);
  }

  /* Charts: the buttons choose one, and a line says the values under the pointer. */
  const data = JSON.parse(document.getElementById("charts").textContent);
  const state = { view: "0", scale: "linear" };
  const drawn = all(".drawn");
  const text = (value, isShare) => {
    if (value === null) return "–";
    return isShare ? `${(100 * value).toPrecision(3)} %` : String(Number(value.toPrecision(3)));
  };
  const choose = () => {
    drawn.forEach((each) => {
      each.hidden = each.dataset.view !== state.view || each.dataset.scale !== state.scale;
    });
    all(".legend[data-view]").forEach((each) => { each.hidden = each.dataset.view !== state.view; });
  };
  const says = document.querySelector("#curves .readout");
  for (const chart of drawn) {
    const svg = chart.querySelector("svg");
    const cursor = svg.querySelector(".cursor");
    const view = data.views[Number(chart.dataset.view)];
    const left = Number(svg.dataset.left);
    const width = Number(svg.dataset.right) - left;
    const last = Math.max(data.counts[data.counts.length - 1], 1);
    const point = (count) => {
      const i = data.counts.reduce((best, n, k) => (Math.abs(n - count) < Math.abs(data.counts[best] - count) ? k : best), 0);
      cursor.setAttribute("visibility", "visible");
      cursor.setAttribute("transform", `translate(${left + (width * data.counts[i]) / last} 0)`);
      const values = view.curves.map((curve) => `${curve.label}: ${text(curve.values[i], view.is_share)}`);
      says.hidden = false;
      says.textContent = `${data.axis} ${data.counts[i]} – ${values.join(", ")}`;
    };
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
      point(((x - left) / width) * last);
    });
    svg.addEventListener("pointerleave", () => {
      cursor.setAttribute("visibility", "hidden");
      says.hidden = true;
    });
  }
  all(".controls").forEach((each) => { each.hidden = false; });
  for (const button of all(".controls button")) {
    button.addEventListener("click", () => {
      if (button.dataset.view) state.view = button.dataset.view;
      if (button.dataset.scale) state.scale = button.dataset.scale;
      all("button", button.parentElement).forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      choose();
    });
  }

  /* The heat map: pointing, or the arrow keys, name a weight. */
  const heat = document.getElementById("heat");
  if (heat && data.heat) {
    const { directions, columns, weights } = data.heat;
    const place = { row: 0, column: 0 };
    const weight = document.getElementById("weight");
    const name = () => {
      weight.textContent = `${columns[place.column]} in ${directions[place.row]}: ${weights[place.row][place.column]}`;
    };
    const bounded = (value, length) => Math.min(Math.max(value, 0), length - 1);
    heat.addEventListener("pointermove", (event) => {
      const box = heat.getBoundingClientRect();
      place.column = bounded(Math.floor(((event.clientX - box.left) / box.width) * columns.length), columns.length);
      place.row = bounded(Math.floor(((event.clientY - box.top) / box.height) * directions.length), directions.length);
      name();
    });
    heat.addEventListener("focus", name);
    heat.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
      if (!step) return;
      event.preventDefault();
      place.row = bounded(place.row + step[0], directions.length);
      place.column = bounded(place.column + step[1], columns.length);
      name();
    });
  }

  /* In print, all details are open. */
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    folded.forEach((each) => { each.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((each) => { each.open = false; }));
})();
