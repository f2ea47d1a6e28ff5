import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { api, type FailedCall, type UsagePage, type UsageSums } from "../api.ts";
import { fromNow, time, toolName, usdc } from "../format.ts";
import { Empty, Panel, Problem, Rows } from "../parts/states.tsx";

export function Usage() {
  return (
    <>
      <h1>Usage</h1>
      <Days />
      <Failures />
      <Calls />
    </>
  );
}

const CHART_HEIGHT = 160;
const readColour = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function Days() {
  const days = useQuery({
    queryKey: ["usage", "days"],
    queryFn: () => api<UsageSums>("/api/usage/sums?by=day&limit=30"),
  });
  const sums = days.data?.sums.toReversed() ?? [];
  return (
    <Panel title="By day (UTC)">
      {days.isPending && <div className="chart" aria-busy="true" />}
      {days.error !== null && <Problem error={days.error} retry={() => void days.refetch()} />}
      {days.isSuccess && sums.length === 0 && (
        <Empty>No call of the last days has been summed yet; it takes a minute.</Empty>
      )}
      {sums.length > 0 && (
        <>
          <Chart sums={sums} />
          <details>
            <summary>As a table</summary>
            <table>
              <thead>
                <tr>
                  <th>Day</th>
                  <th className="number">Calls</th>
                  <th className="number">USDC</th>
                </tr>
              </thead>
              <tbody>
                {sums.map(({ beginsAt, calls, priceMicroUsdc }) => (
                  <tr key={beginsAt}>
                    <td>{beginsAt.slice(0, 10)}</td>
                    <td className="number">{calls}</td>
                    <td className="number">{usdc(priceMicroUsdc)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </details>
        </>
      )}
    </Panel>
  );
}

function Chart({ sums }: { sums: UsageSums["sums"] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const node = place.current;
    if (node === null) return;
    const bars = uPlot.paths.bars?.({ size: [0.6, 40] });
    const axis = { stroke: readColour("--quiet"), grid: { stroke: readColour("--line"), width: 1 } };
    const chart = new uPlot(
      {
        width: node.clientWidth,
        height: CHART_HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
        series: [
          {},
          {
            label: "Calls",
            stroke: readColour("--accent"),
            fill: readColour("--tint"),
            ...(bars === undefined ? {} : { paths: bars }),
            points: { show: false },
          },
        ],
        axes: [axis, { ...axis, size: 48 }],
        scales: { y: { range: (_chart, _least, most) => [0, Math.max(1, most)] } },
      },
      [sums.map(({ beginsAt }) => Date.parse(beginsAt) / 1_000), sums.map(({ calls }) => calls)],
      node,
    );
    const watch = new ResizeObserver(() => chart.setSize({ width: node.clientWidth, height: CHART_HEIGHT }));
    watch.observe(node);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [sums]);
  return <div className="chart" ref={place} role="img" aria-label="Calls by day; the table below has the numbers" />;
}

function Failures() {
  const { call: chosen, code } = useSearch({ from: "/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const failures = useQuery({
    queryKey: ["failures", code ?? ""],
    queryFn: () =>
      api<{ calls: readonly FailedCall[] }>(
        `/api/calls?limit=100${code === undefined ? "" : `&code=${encodeURIComponent(code)}`}`,
      ),
    refetchInterval: 15_000,
  });
  const calls = failures.data?.calls ?? [];
  const shown = calls.find(({ id }) => id === chosen);
  return (
    <Panel
      title="Failed calls"
      aside={
        code !== undefined && (
          <button type="button" className="plain small" onClick={() => void navigate({ search: {} })}>
            Only {code}: show all
          </button>
        )
      }
    >
      {failures.isPending && <Rows count={5} />}
      {failures.error !== null && <Problem error={failures.error} retry={() => void failures.refetch()} />}
      {failures.isSuccess && calls.length === 0 && (
        <Empty>{code === undefined ? "No call has failed lately." : "No call has failed with this code."}</Empty>
      )}
      <ul className="list">
        {calls.map(({ id, tool, code: failed, createdAt, keyName }) => (
          <li key={id} aria-current={id === chosen}>
            <button
              type="button"
              className="link"
              aria-expanded={id === chosen}
              onClick={() => void navigate({ search: searchFor(id === chosen ? undefined : id, code), replace: true })}
            >
              {tool === null ? "Unknown tool" : toolName(tool)}
            </button>
            <span className="mono">{failed}</span>
            <time className="quiet" dateTime={createdAt} title={time(createdAt)}>
              {fromNow(createdAt)}
              {keyName === null ? "" : `, ${keyName}`}
            </time>
            {id === chosen && shown !== undefined && <FailureDetails call={shown} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const searchFor = (call: string | undefined, code: string | undefined) => ({
  ...(call === undefined ? {} : { call }),
  ...(code === undefined ? {} : { code }),
});

function FailureDetails({ call }: { call: FailedCall }) {
  return (
    <dl className="details">
      <dt>Reason</dt>
      <dd>{call.detail ?? "None was given."}</dd>
      {call.issuePaths.length > 0 && (
        <>
          <dt>Arguments</dt>
          <dd className="mono">{call.issuePaths.join(", ")}</dd>
        </>
      )}
      <dt>Code</dt>
      <dd>
        <a href={`/docs/errors/${call.code}`}>{call.code}</a>
      </dd>
      <dt>Trace</dt>
      <dd className="mono">{call.traceId}</dd>
      <dt>When</dt>
      <dd>
        {time(call.createdAt)}, by {call.surface}
      </dd>
    </dl>
  );
}

function Calls() {
  const usage = useQuery({ queryKey: ["usage", "records"], queryFn: () => api<UsagePage>("/api/usage?limit=50") });
  const records = usage.data?.records ?? [];
  return (
    <Panel title="Latest calls">
      {usage.isPending && <Rows count={5} />}
      {usage.error !== null && <Problem error={usage.error} retry={() => void usage.refetch()} />}
      {usage.isSuccess && records.length === 0 && <Empty>No call has been made yet.</Empty>}
      {records.length > 0 && (
        <table>
          <thead>
            <tr>
              <th>Tool</th>
              <th>When</th>
              <th className="number wide">Took</th>
              <th className="number">USDC</th>
            </tr>
          </thead>
          <tbody>
            {records.map(({ id, tool, createdAt, latencyMs, priceMicroUsdc }) => (
              <tr key={id}>
                <td>{toolName(tool)}</td>
                <td>
                  <time dateTime={createdAt} title={time(createdAt)}>
                    {fromNow(createdAt)}
                  </time>
                </td>
                <td className="number wide">{Math.round(latencyMs)} ms</td>
                <td className="number">{usdc(priceMicroUsdc)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}
