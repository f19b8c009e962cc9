// The picture in a page: groups open and close, boxes tell what they hold, the whole can be moved and enlarged.
//
// Python has laid out the content of every group. When a group changes its size, what is around it makes room by a map
// of coordinates: x and y are stretched where the group is, and nowhere else. The map keeps order and never takes room
// from a box, so nothing comes to overlap. It is 0 where only groups that have shrunk stand.

const MARGIN = 16, LINE = 14, ARROW = 6, LETTER = 6.1, HIGHEST = 640, SPACE = 26, BORDER = 10;

function show(root, data) {
  const open = new Set(data.open), unrolled = new Set();
  const old = root.querySelector("svg"), svg = element("svg", { class: "rushlight-graph", role: "img" });
  const facts = document.createElement("div");
  let view = null;
  root.classList.add("live");
  old.replaceWith(svg);
  facts.className = "facts";
  facts.hidden = true;
  root.append(facts, tools());
  draw();
  start();

  // ---- where things stand

  function contentOf(group) {
    const rolled = data.groups[group].kind === "repeat" && !unrolled.has(group);
    return data.contents[group + (rolled ? "r" : "")];
  }

  function isOpen(group) {
    return open.has(group) && contentOf(group) !== undefined;
  }

  // The content of a group as it stands now: items with their corners and sizes, routes, pins, the size of it all.
  function arranged(group) {
    const content = contentOf(group);
    const items = content.items.map((item) => {
      const inner = item.group !== undefined && isOpen(item.group) ? arranged(item.group) : null;
      const closed = item.group !== undefined ? data.groups[item.group].closed.size : null;
      return { ...item, inner, size: inner ? inner.size : closed || item.at.slice(2) };
    });
    const x = stretch(spans(content, items, 0)), y = stretch(spans(content, items, 1));
    for (const item of items) {
      const [left, up, width, height] = item.at;
      const middle = (x(left) + x(left + width) - item.size[0]) / 2;
      item.x = item.inner ? middle : centred(item, content, x);
      item.y = (y(up) + y(up + height) - item.size[1]) / 2;
    }
    const border = content.title ? BORDER : 0, rights = items.map((item) => item.x + item.size[0] + border);
    return {
      group, items,
      routes: content.routes.flatMap((route) => ways(route, content, items, x, y)),
      size: [Math.max(x(content.size[0]), ...rights), y(content.size[1])],
      in: mapped(content.in, x), out: mapped(content.out, x),
    };
  }

  // A box stands where its wires are, as far as what is beside it in its row leaves room.
  function centred(item, content, x) {
    const [left, up, width, height] = item.at, right = left + width, beside = [];
    const near = (from, to) => from < up + height && up < to;
    for (const { at } of content.items) if (near(at[1], at[1] + at[3])) beside.push([at[0], at[0] + at[2]]);
    for (const { points } of content.routes) {
      for (let number = 1; number < points.length; number++) {
        const [[x0, y0], [x1, y1]] = [points[number - 1], points[number]];
        if (near(y0, y1)) beside.push([Math.min(x0, x1), Math.max(x0, x1)]);
      }
    }
    const half = (other, own) => (x(other) + x(own)) / 2;
    const low = Math.max(BORDER, ...beside.filter(([, to]) => to <= left).map(([, to]) => half(to, left)));
    const high = Math.min(...beside.filter(([from]) => from >= right).map(([from]) => half(from, right)));
    const least = Math.min(low, x(left)), most = Math.max(high, x(right)) - item.size[0];
    return Math.max(least, Math.min(most, x(item.anchor) - item.size[0] / 2));
  }

  // [from, to, growth] of all that takes room along an axis: items, labels, and the title of the frame.
  function spans(content, items, axis) {
    const found = items.map(({ at, size }) => [at[axis], at[axis] + at[axis + 2], size[axis] - at[axis + 2]]);
    for (const { at } of content.routes) {
      if (at) found.push([at[axis] - SPACE, at[axis] + SPACE, 0]);
    }
    if (content.title) found.push([0, content.title[axis], 0]);
    return found;
  }

  function ways(route, content, items, x, y) {
    const from = route.start === null ? null : items[route.start], to = route.end === null ? null : items[route.end];
    const points = route.points, last = points.length - 1, seen = new Set(), found = [];
    for (const value of route.values) {
      const begin = from ? side(from, value, points[0], "out") : x(points[0][0]);
      const end = to ? side(to, value, points[last], "in") : x(points[last][0]);
      if (seen.has(begin + " " + end)) continue;
      seen.add(begin + " " + end);
      const way = points.map((point) => [x(point[0]), y(point[1])]);
      way[0] = [begin, from ? from.y + from.size[1] : 0];
      way[1] = [begin, way[1][1]];
      way[last - 1] = [end, way[last - 1][1]];
      way[last] = [end, to ? to.y : y(content.size[1])];
      const at = route.at && [x(route.at[0]), y(route.at[1])];
      found.push({ way, kind: route.kind, label: route.label, at, from, to, arrow: to !== null && !to.inner });
    }
    return found;
  }

  // Where a wire meets an item: at the pin of an open frame, at the same distance from the middle of a box.
  function side(item, value, point, direction) {
    if (item.inner) {
      const pin = item.inner[direction][value];
      return item.x + (pin === undefined ? item.size[0] / 2 : pin);
    }
    const limit = item.size[0] / 2 - 8, away = point[0] - item.anchor;
    return item.x + item.size[0] / 2 + Math.max(-limit, Math.min(limit, away));
  }

  // ---- drawing

  function draw() {
    const whole = arranged(data.whole), frames = element("g"), wires = element("g"), boxes = element("g");
    svg.replaceChildren(element("rect", { class: "paper", x: -1e5, y: -1e5, width: 2e5, height: 2e5 }), frames, wires, boxes);
    put(whole, 0, 0, { frames, wires, boxes });
    svg.full = whole.size.map((length) => length + 2 * MARGIN);
    if (view) place();
  }

  function put(content, left, up, layers) {
    const drawn = new Map();
    for (const item of content.items) {
      const x = item.x + left, y = item.y + up;
      if (item.inner) {
        layers.frames.append(frame(item, x, y));
        put(item.inner, x, y, layers);
      } else {
        const shown = box(item, x, y);
        drawn.set(item, shown);
        layers.boxes.append(shown);
      }
    }
    for (const route of content.routes) {
      const wire = element("g", { class: "wire " + route.kind });
      const points = route.way.map(([x, y]) => [x + left, y + up]);
      wire.append(element("path", { d: path(points) }));
      if (route.arrow) wire.append(element("path", { class: "head", d: head(points[points.length - 1]) }));
      if (route.at) wire.append(...label(route.label, route.at[0] + left, route.at[1] + up));
      layers.wires.append(wire);
      for (const end of [drawn.get(route.from), drawn.get(route.to)]) if (end) end.wires.push(wire);
    }
  }

  function box(item, x, y) {
    const what = item.group === undefined ? data.boxes[item.box] : data.groups[item.group].closed;
    const shown = element("g", { class: "box " + what.kind }), middle = x + item.size[0] / 2;
    const round = /parameter|leaf/.test(what.kind) ? 12 : 3;
    shown.wires = [];
    shown.append(element("rect", { x, y, width: item.size[0], height: item.size[1], rx: round }));
    if (what.title) shown.append(text(what.title, middle, y + 19, "title", "middle"));
    what.lines.forEach((line, number) => shown.append(text(line, middle, y + what.first + LINE * number + 8.5, "", "middle")));
    shown.addEventListener("pointerenter", (event) => point(shown, what.facts, event));
    shown.addEventListener("pointerleave", () => leave(shown));
    if (item.group !== undefined && contentOf(item.group) !== undefined) {
      opens(shown, item.group, () => open.add(item.group));
    }
    return shown;
  }

  function frame(item, x, y) {
    const group = data.groups[item.group], shown = element("g", { class: "frame " + group.kind });
    const title = text("\u2212 " + group.title, x + 12, y + 21, "title"), handle = element("g");
    shown.append(element("rect", { x, y, width: item.size[0], height: item.size[1], rx: 8 }));
    opens(handle, item.group, () => open.delete(item.group));
    handle.append(title);
    shown.append(handle);
    if (group.kind === "repeat" && data.contents[item.group] !== undefined) {
      const all = unrolled.has(item.group), turns = element("g");
      turns.append(text(all ? "show one turn" : "show all turns", x + 12, y + 35, "label"));
      opens(turns, item.group, () => (all ? unrolled.delete(item.group) : unrolled.add(item.group)));
      shown.append(turns);
    }
    return shown;
  }

  function opens(shown, group, change) {
    shown.classList.add("opens");
    shown.setAttribute("tabindex", "0");
    shown.setAttribute("data-group", group);
    const act = () => {
      change();
      facts.hidden = true;
      draw();
    };
    shown.addEventListener("click", () => view.moved || act());
    shown.addEventListener("keydown", (event) => event.key === "Enter" && act());
  }

  // ---- pointing at a box

  function point(shown, known, event) {
    const place = root.getBoundingClientRect();
    facts.replaceChildren(...known.flatMap(([name, value]) => [bold(name ? name + ": " : ""), value, "\n"]));
    facts.style.left = Math.max(0, Math.min(event.clientX - place.left + 14, place.width - 430)) + "px";
    facts.style.top = event.clientY - place.top + 14 + "px";
    facts.hidden = false;
    shown.classList.add("pointed");
    shown.wires.forEach((wire) => wire.classList.add("near"));
  }

  function leave(shown) {
    facts.hidden = true;
    shown.classList.remove("pointed");
    shown.wires.forEach((wire) => wire.classList.remove("near"));
  }

  // ---- moving and enlarging

  function start() {
    size();
    if (root.parentElement.classList.contains("rushlight-window")) addEventListener("resize", size);
    svg.addEventListener("pointerdown", grab);
    svg.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls as usual
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event);
    }, { passive: false });
  }

  // In a page of its own the picture fills the window; in others it takes the room that it needs.
  function size() {
    const alone = root.parentElement.classList.contains("rushlight-window");
    const width = root.clientWidth || 800, scale = Math.min(1, width / svg.full[0]);
    const legend = root.querySelector(".legend");
    const height = alone ? innerHeight - legend.offsetHeight : Math.min(HIGHEST, svg.full[1] * scale);
    svg.style.height = height + "px";
    view = { x: (svg.full[0] - width / scale) / 2 - MARGIN, y: -MARGIN, width: width / scale, height: height / scale };
    place();
  }

  function place() {
    svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].join(" "));
  }

  function grab(event) {
    const from = { x: event.clientX, y: event.clientY, left: view.x, up: view.y };
    const unit = view.width / svg.clientWidth;
    view.moved = false;
    const move = (next) => {
      if (Math.abs(next.clientX - from.x) + Math.abs(next.clientY - from.y) > 4) view.moved = true;
      view.x = from.left - (next.clientX - from.x) * unit;
      view.y = from.up - (next.clientY - from.y) * unit;
      place();
    };
    const drop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
  }

  function zoom(factor, event) {
    const area = svg.getBoundingClientRect();
    const x = event ? (event.clientX - area.left) / area.width : 0.5, y = event ? (event.clientY - area.top) / area.height : 0.5;
    view.x += view.width * x * (1 - 1 / factor);
    view.y += view.height * y * (1 - 1 / factor);
    view.width /= factor;
    view.height /= factor;
    place();
  }

  function fit() {
    const scale = Math.max(svg.full[0] / svg.clientWidth, svg.full[1] / svg.clientHeight);
    Object.assign(view, { width: svg.clientWidth * scale, height: svg.clientHeight * scale, y: -MARGIN });
    view.x = (svg.full[0] - view.width) / 2 - MARGIN;
    place();
  }

  function tools() {
    const bar = document.createElement("div");
    bar.className = "tools";
    for (const [name, act] of [["+", () => zoom(1.3)], ["\u2212", () => zoom(1 / 1.3)], ["fit", fit]]) {
      const button = document.createElement("button");
      button.textContent = name;
      button.addEventListener("click", act);
      bar.append(button);
    }
    return bar;
  }
}

// A map of one axis that lets spans grow: at each place by as much as the span there that needs most.
function stretch(spans) {
  const ends = [...new Set(spans.flatMap(([from, to]) => [from, to]))].sort((a, b) => a - b);
  const shifts = [0];
  for (let number = 1; number < ends.length; number++) {
    const middle = (ends[number - 1] + ends[number]) / 2;
    const rates = spans.filter(([from, to]) => from <= middle && middle <= to).map(([from, to, growth]) => growth / (to - from));
    shifts.push(shifts[number - 1] + (rates.length ? Math.max(...rates) : 0) * (ends[number] - ends[number - 1]));
  }
  return (value) => {
    const after = ends.findIndex((end) => end >= value);
    if (after < 0) return value + shifts[shifts.length - 1];
    if (after === 0) return value;
    const part = (value - ends[after - 1]) / (ends[after] - ends[after - 1]);
    return value + shifts[after - 1] + part * (shifts[after] - shifts[after - 1]);
  };
}

function mapped(pins, x) {
  return Object.fromEntries(Object.entries(pins).map(([value, at]) => [value, x(at)]));
}

// Straight down where a row is passed, an S between rows.
function path(points) {
  let words = "M" + points[0].join(" ");
  for (let number = 1; number < points.length; number++) {
    const [x0, y0] = points[number - 1], [x, y] = points[number], middle = (y0 + y) / 2;
    words += number % 2 ? `L${x} ${y}` : `C${x0} ${middle} ${x} ${middle} ${x} ${y}`;
  }
  return words;
}

function head([x, y]) {
  return `M${x - ARROW / 2} ${y - ARROW}L${x + ARROW / 2} ${y - ARROW}L${x} ${y}Z`;
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  return made;
}

function text(words, x, y, kind, anchor) {
  const made = element("text", { x, y, ...(kind && { class: kind }), ...(anchor && { "text-anchor": anchor }) });
  made.textContent = words;
  return made;
}

function label(words, x, y) {
  const width = LETTER * words.length + 6;
  const plate = element("rect", { class: "plate", x: x - width / 2, y: y - LINE / 2, width, height: LINE });
  return [plate, text(words, x, y + 3.5, "label", "middle")];
}

function bold(words) {
  const made = document.createElement("b");
  made.textContent = words;
  return made;
}
