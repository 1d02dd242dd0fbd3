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

  /* Charts, in the colours of the page. */
  const data = JSON.parse(document.getElementById("charts").textContent);
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const state = { view: 0, scale: "linear" };
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    return { ink: get("--ink"), muted: get("--muted"), rule: get("--rule"), accent: get("--accent"),
      surface: get("--surface"), warn: get("--warn"), sans: get("--sans") };
  };
  const layoutOf = (c) => ({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
    font: { family: c.sans, size: 13, color: c.muted },
    hoverlabel: { bgcolor: c.surface, bordercolor: c.rule, font: { color: c.ink, family: c.sans } },
    margin: { l: 60, r: 12, t: 12, b: 48 },
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
  });
  const config = { responsive: true, displayModeBar: false, doubleClick: "reset" };
  const axisOf = (c, title) => ({
    title: { text: title, font: { size: 13 } }, gridcolor: c.rule, linecolor: c.rule, zeroline: false, automargin: true,
  });

  const drawCurves = () => {
    const c = colours();
    const view = data.views[state.view];
    const styles = {
      "pca": { color: c.muted, dash: "solid" }, "fit": { color: c.accent, dash: "solid" },
      "held-out": { color: c.accent, dash: "dash" }, "gcv": { color: c.accent, dash: "dot" },
      "best": { color: c.accent, dash: "longdashdot" },
    };
    const few = data.counts.length <= 40;
    const log = state.scale === "log";
    const traces = view.curves.map((curve) => ({
      x: data.counts, y: curve.values.map((v) => (log && v <= 1e-15 ? null : v)), name: curve.label,
      type: "scatter", mode: few && curve.key !== "gcv" ? "lines+markers" : "lines",
      line: { ...styles[curve.key], width: 2 },
      marker: { size: 6, symbol: curve.key === "pca" ? "square" : curve.key === "held-out" ? "circle-open" : "circle" },
      hovertemplate: view.is_share ? "%{y:.2%}" : "%{y:.3g}", connectgaps: false,
    }));
    const layout = layoutOf(c);
    const own = view.curves.filter((curve) => curve.key === "fit")[0].values[0];
    const largest = Math.max(...view.curves.flatMap((curve) => curve.values.filter((v) => v !== null)));
    layout.xaxis = { ...axisOf(c, data.axis), rangemode: "tozero", showgrid: false, tickformat: "d",
      ...(data.counts.length <= 11 ? { dtick: 1 } : {}) };
    const positive = traces.flatMap((trace) => trace.y.filter((v) => v > 0));
    const decades = Math.log10(Math.max(...positive) / Math.min(...positive));
    layout.yaxis = { ...axisOf(c, view.axis), type: state.scale,
      tickformat: view.is_share ? (log ? ".2~%" : ".0%") : ".2~g",
      ...(log ? { dtick: decades < 2 ? "D2" : Math.ceil(decades / 8) } : { range: [0, 1.04 * Math.min(largest, 1.5 * own) || 1] }) };
    layout.hovermode = "x unified";
    layout.legend = { orientation: "h", x: 0, xanchor: "left", y: 1.02, yanchor: "bottom", bgcolor: "rgba(0,0,0,0)" };
    layout.margin.t = 40;
    if (view.mark !== null && view.mark > 0) {
      layout.shapes = [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: view.mark, y1: view.mark,
        line: { color: c.warn, width: 1, dash: "dot" } }];
      layout.annotations = [{ xref: "paper", x: 0, xanchor: "left", yanchor: "bottom", showarrow: false,
        y: log ? Math.log10(view.mark) : view.mark, text: view.mark_label, font: { color: c.warn, size: 12 } }];
    }
    return Plotly.react("curves", traces, layout, config);
  };

  const drawHeat = () => {
    const c = colours();
    const heat = data.heat;
    const largest = Math.max(...heat.weights.flat().map(Math.abs)) || 1;
    const cut = (name) => (name.length > 26 && !name.includes("&") ? name.slice(0, 25) + "…" : name);
    const columns = heat.columns.map((_, i) => i);
    const room = Math.max(document.getElementById("heat").clientWidth - 130, 100);
    const every = Math.ceil((12 * columns.length) / room); /* so that names do not overlap */
    const named = columns.filter((i) => i % every === 0);
    const layout = layoutOf(c);
    layout.margin.b = 8;
    layout.xaxis = { ...axisOf(c, ""), tickvals: named, ticktext: named.map((i) => cut(heat.columns[i])), showgrid: false,
      tickangle: heat.columns.length > 6 ? -60 : 0, tickfont: { size: heat.columns.length > 40 ? 9 : 11 } };
    layout.yaxis = { ...axisOf(c, ""), tickvals: heat.directions.map((_, i) => i),
      ticktext: heat.directions, autorange: "reversed", showgrid: false };
    const trace = {
      type: "heatmap", z: heat.weights, x: columns, zmin: -largest, zmax: largest, xgap: 1, ygap: 1,
      customdata: heat.directions.map(() => heat.columns), text: heat.directions.map((name) => heat.columns.map(() => name)),
      hovertemplate: "%{customdata}<br>%{text}: %{z:.3f}<extra></extra>",
      colorscale: [[0, "rgba(213,94,0,1)"], [0.5, c.surface], [1, "rgba(0,114,178,1)"]],
      colorbar: { thickness: 10, outlinewidth: 0, tickformat: ".1~f", len: 0.9 },
    };
    return Plotly.react("heat", [trace], layout, config);
  };

  const drawers = [["curves", drawCurves]];
  if (data.heat) {
    const longest = Math.min(26, Math.max(...data.heat.columns.map((name) => name.length)));
    document.getElementById("heat").style.height = `${50 + 24 * data.heat.directions.length + 5 * longest}px`;
    drawers.push(["heat", drawHeat]);
    let waiting = 0;
    addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(drawHeat, 150);
    });
  }
  for (const [id, draw] of drawers) {
    const live = document.getElementById(id);
    live.hidden = false;
    live.parentElement.querySelector(".static").hidden = true;
    all(".controls", live.parentElement).forEach((each) => { each.hidden = false; });
    draw();
    dark.addEventListener("change", draw);
  }
  for (const button of all(".controls button")) {
    button.addEventListener("click", () => {
      if (button.dataset.view) state.view = Number(button.dataset.view);
      if (button.dataset.scale) state.scale = button.dataset.scale;
      all("button", button.parentElement).forEach((each) => each.setAttribute("aria-pressed", String(each === button)));
      drawCurves();
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
