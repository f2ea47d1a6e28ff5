/** Arrows between names; one that points to itself counts as nothing. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

export function buildGraph(arrows: Iterable<readonly [from: string, to: string]>): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of arrows) {
    if (from === to) continue;
    const targets = graph.get(from) ?? new Set<string>();
    graph.set(from, targets.add(to));
  }
  return graph;
}

/** One ring for each set of names that reach each other, in words; empty when there is none. */
export function findCycles(graph: Graph): string[] {
  const state = new Map<string, "open" | "done">();
  const found: string[] = [];
  const visit = (name: string, trail: readonly string[]): void => {
    if (state.get(name) === "done") return;
    if (state.get(name) === "open") {
      found.push([...trail.slice(trail.indexOf(name)), name].join(" → "));
      return;
    }
    state.set(name, "open");
    for (const target of graph.get(name) ?? []) visit(target, [...trail, name]);
    state.set(name, "done");
  };
  for (const name of graph.keys()) visit(name, []);
  return found;
}
