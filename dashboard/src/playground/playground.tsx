import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";
import { Bench } from "./bench.tsx";
import { Talk } from "./talk.tsx";
import { readTools, type Tool } from "./tools.ts";

export function Playground() {
  const { tool: chosen, refused } = useSearch({ from: "/playground" });
  const tools = useQuery({
    queryKey: ["tools"],
    queryFn: ({ signal }) => readTools(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const tool = tools.data?.find(({ name }) => name === chosen);
  return (
    <>
      <h1>Playground</h1>
      {tools.isPending && <Rows count={8} />}
      {tools.error !== null && <Problem error={tools.error} retry={() => void tools.refetch()} />}
      {tools.data !== undefined && (
        <div className="playground">
          <ToolList tools={tools.data} chosen={chosen} />
          {tool === undefined ? (
            <Panel title="Try a tool">
              <Empty>
                {chosen === undefined
                  ? "Choose a tool. Its form comes from its schema; what spends is previewed first, and nothing happens before you press the button that says so."
                  : `There is no tool with the name ${chosen}.`}
              </Empty>
            </Panel>
          ) : (
            <Bench key={tool.name} tool={tool} refused={refused?.split(",") ?? []} />
          )}
          <Talk />
        </div>
      )}
    </>
  );
}

/** Bookings first, bookkeeping last; the others as they come. */
const RANKS: Readonly<Record<string, number>> = { flights: -2, stays: -1, account: 1, usage: 2 };
const compareAreas = (one: Tool, other: Tool): number => (RANKS[one.area] ?? 0) - (RANKS[other.area] ?? 0);

/** On a phone, the areas are closed, and the list gives way to the chosen tool. */
function ToolList({ tools, chosen }: { tools: readonly Tool[]; chosen: string | undefined }) {
  const [wanted, want] = useState("");
  const isPhone = matchMedia("(max-width: 800px)").matches;
  const words = wanted.toLowerCase().split(/\s+/);
  const found = tools.filter((tool) => {
    const text = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <nav className={chosen === undefined ? "tools" : "tools chosen"} aria-label="Tools">
      <label>
        Find a tool
        <input
          type="search"
          value={wanted}
          autoComplete="off"
          onChange={({ target }) => want(target.value)}
          placeholder={`${tools.length} tools`}
        />
      </label>
      {found.length === 0 && <Empty>No tool fits.</Empty>}
      {[...Map.groupBy(found.toSorted(compareAreas), ({ area }) => area)].map(([area, some]) => (
        <details key={area} open={!isPhone || wanted !== "" || some.some(({ name }) => name === chosen)}>
          <summary>{area}</summary>
          {some.map(({ name, title }) => (
            <Link
              key={name}
              to="/playground"
              search={{ tool: name }}
              aria-current={name === chosen ? "page" : undefined}
            >
              {title}
            </Link>
          ))}
        </details>
      ))}
    </nav>
  );
}
