// Trees of calls added up by path: their layout, and the callers and callees of a function.
// @ts-check

/** @typedef {import('./api.js').FlameNode} FlameNode */

/** Nodes in the order of drawing: each is followed by the nodes below it, the largest first. */
export class PathTree {
  /** @param {FlameNode[]} nodes parents first */
  constructor(nodes) {
    /** @type {number[][]} */
    const below = nodes.map(() => []);
    /** @type {number[]} */
    const top = [];
    nodes.forEach((node, at) => (node.parent < 0 ? top : below[node.parent]).push(at));
    /** @type {FlameNode[]} */
    this.nodes = [];
    /** @type {number[]} */
    this.depth = [];
    /** @type {number[]} one past the last node below */
    this.end = [];
    /** @type {number[]} in nanoseconds from the left */
    this.start = [];
    this.deepest = -1;
    const bySize = (/** @type {number} */ a, /** @type {number} */ b) => nodes[b].total_ns - nodes[a].total_ns || nodes[a].function - nodes[b].function;
    this.width = top.reduce((sum, at) => sum + nodes[at].total_ns, 0);
    // An explicit stack, because traced programs can recurse more deeply than JavaScript can.
    /** @type {{at: number, parent: number, depth: number, start: number}[]} */
    const stack = [];
    /** @param {number[]} list @param {number} parent @param {number} depth @param {number} start */
    const push = (list, parent, depth, start) => {
      const frames = [...list].sort(bySize).map((at) => {
        const frame = {at, parent, depth, start};
        start += nodes[at].total_ns;
        return frame;
      });
      stack.push(...frames.reverse());
    };
    push(top, -1, 0, 0);
    /** @type {number[]} */
    const path = [];
    for (let frame = stack.pop(); frame; frame = stack.pop()) {
      while (path.length > frame.depth)
        this.end[/** @type {number} */ (path.pop())] = this.nodes.length;
      const number = this.nodes.push({...nodes[frame.at], parent: frame.parent}) - 1;
      this.depth.push(frame.depth);
      this.start.push(frame.start);
      this.deepest = Math.max(this.deepest, frame.depth);
      path.push(number);
      push(below[frame.at], number, frame.depth + 1, frame.start);
    }
    for (const number of path)
      this.end[number] = this.nodes.length;
  }
}

/** Adds up nodes that have the same function and the same parent. */
class Sums {
  constructor() {
    /** @type {FlameNode[]} */
    this.nodes = [];
    /** @type {Map<string, number>} */
    this.known = new Map();
  }
  /** @param {number} parent @param {number} id @param {number} calls @param {number} total @param {number} self */
  add(parent, id, calls, total, self) {
    const key = `${parent} ${id}`, known = this.known.get(key);
    const at = known ?? this.nodes.push({function: id, parent, calls: 0, total_ns: 0, self_ns: 0}) - 1;
    this.known.set(key, at);
    const node = this.nodes[at];
    node.calls += calls;
    node.total_ns += total;
    node.self_ns += self;
    return at;
  }
}

/** Whether a node is the outermost node of its function on its path. @param {FlameNode[]} nodes @param {number} at */
function isOutermost(nodes, at) {
  for (let above = nodes[at].parent; above >= 0; above = nodes[above].parent)
    if (nodes[above].function === nodes[at].function)
      return false;
  return true;
}

/** The calls that a function made, wherever it was called itself. @param {FlameNode[]} nodes parents first @param {number} id */
export function calleesOf(nodes, id) {
  const sums = new Sums(), place = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, at) => {
    const above = node.parent < 0 ? -1 : place[node.parent];
    if (above >= 0 || node.function === id)
      place[at] = sums.add(above, node.function, node.calls, node.total_ns, node.self_ns);
  });
  return new PathTree(sums.nodes);
}

/** The callers of a function, with their own callers below them. @param {FlameNode[]} nodes parents first @param {number} id */
export function callersOf(nodes, id) {
  const sums = new Sums();
  nodes.forEach((node, at) => {
    if (node.function !== id || !isOutermost(nodes, at))
      return;
    let place = -1;
    for (let above = at; above >= 0; above = nodes[above].parent)
      place = sums.add(place, nodes[above].function, node.calls, node.total_ns, above === at ? node.self_ns : 0);
  });
  return new PathTree(sums.nodes);
}
