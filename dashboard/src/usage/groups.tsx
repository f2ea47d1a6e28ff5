import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReadUsageGroupsAnswer } from "../answers.ts";
import { api } from "../api.ts";
import { toolName, usdcColumn } from "../format.ts";
import { ApiCall } from "../parts/api-call.tsx";
import { Choices } from "../parts/choices.tsx";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

const WAYS = [
  ["tool", "Tool"],
  ["key", "Key"],
  ["person", "Person"],
] as const;
const PERIODS = [
  ["1", "Day"],
  ["7", "Week"],
  ["30", "30 days"],
  ["90", "90 days"],
] as const;

type Group = ReadUsageGroupsAnswer["groups"][number];

/** Who and what the calls were for. A tool narrows the days and the records. */
export function Groups() {
  const search = useSearch({ from: "/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const by = WAYS.find(([way]) => way === search.by)?.[0] ?? "tool";
  const days = PERIODS.find(([period]) => period === search.days)?.[0] ?? "30";
  const path = `/api/usage/groups?by=${by}&days=${days}`;
  const usage = useQuery({
    queryKey: ["usage", "groups", by, days],
    queryFn: ({ signal }) => api<ReadUsageGroupsAnswer>(path, { signal }),
  });
  const groups = usage.data?.groups ?? [];
  const say = usdcColumn(groups.map(({ priceMicroUsdc }) => priceMicroUsdc));
  const most = Math.max(1, ...groups.map(({ priceMicroUsdc }) => Number(priceMicroUsdc)));
  return (
    <Panel title="Who and what">
      <div className="filters">
        <Choices
          label="Sum by"
          values={WAYS}
          chosen={by}
          choose={(way) => void navigate({ search: (was) => ({ ...was, by: way }), replace: true })}
        />
        <Choices
          label="Period"
          values={PERIODS}
          chosen={days}
          choose={(period) => void navigate({ search: (was) => ({ ...was, days: period }), replace: true })}
        />
      </div>
      {usage.isPending && <Rows count={5} />}
      {usage.error !== null && <Problem error={usage.error} retry={() => void usage.refetch()} />}
      {usage.isSuccess && groups.length === 0 && <Empty>No call was made in this period. Choose a longer one.</Empty>}
      {groups.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>{by === "tool" ? "Tool" : by === "key" ? "Key" : "Person"}</th>
              <th className="number">Calls</th>
              <th className="number">USDC</th>
            </tr>
          </thead>
          <tbody>
            {groups.map((group) => (
              <tr key={group.name ?? ""}>
                <td>
                  <Name group={group} by={by} chosen={search.tool} />
                  <svg className="share" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 3">
                    <rect width={(Number(group.priceMicroUsdc) / most) * 100} height="3" />
                  </svg>
                </td>
                <td className="number">{group.calls}</td>
                <td className="number">{say(group.priceMicroUsdc)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {usage.data?.isComplete === false && (
        <p className="notice">
          Only the newest 20,000 calls are counted, as the period began before the service summed by key and by person.
          Choose a shorter one, or sum by tool, for all of them.
        </p>
      )}
      <ApiCall calls={[{ method: "GET", path }]} />
    </Panel>
  );
}

function Name(props: { group: Group; by: "tool" | "key" | "person"; chosen: string | undefined }) {
  const { group, by, chosen } = props;
  const { name, keyName } = group;
  if (name === null) return "Without a key";
  if (by === "tool") {
    const isChosen = name === chosen;
    return (
      <Link
        to="/usage"
        search={({ tool: _former, ...others }) => (isChosen ? others : { ...others, tool: name })}
        aria-current={isChosen ? "true" : undefined}
      >
        {toolName(name)}
        {isChosen ? " (show all)" : ""}
      </Link>
    );
  }
  if (keyName === null) return <span className="mono">{name}</span>;
  return name.startsWith("svc:") ? `${keyName} itself` : keyName;
}
