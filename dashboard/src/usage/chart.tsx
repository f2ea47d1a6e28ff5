import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { usdc } from "../format.ts";

export interface Day {
  /** In seconds, at its begin in UTC. */
  at: number;
  calls: number;
  micro: number;
}

const HEIGHT = 180;
export const DAY_SECONDS = 86_400;
const MICRO = 1_000_000;

/** A canvas knows no variables and no `light-dark()`: the browser works the colour out. */
function readColour(node: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  node.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const sayDay = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleDateString("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });

export function Chart({ days }: { days: readonly Day[] }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const node = place.current;
    if (node === null) return;
    let chart: uPlot | undefined;
    const draw = () => {
      chart?.destroy();
      chart = new uPlot(
        describe(node),
        [
          days.map(({ at }) => at),
          days.map(({ calls }) => calls),
          days.map(({ micro }) => (micro === 0 ? null : micro)),
        ],
        node,
      );
    };
    draw();
    const watch = new ResizeObserver(() => chart?.setSize({ width: node.clientWidth, height: HEIGHT }));
    watch.observe(node);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    return () => {
      scheme.removeEventListener("change", draw);
      watch.disconnect();
      chart?.destroy();
    };
  }, [days]);
  return (
    <div
      className="chart"
      ref={place}
      role="img"
      aria-label="Calls and spending by day; the table below has the numbers"
    />
  );
}

function describe(node: HTMLElement): uPlot.Options {
  const [quiet, line, accent, money] = ["--quiet", "--line", "--accent", "--money"].map((name) =>
    readColour(node, name),
  );
  const bars = uPlot.paths.bars?.({ size: [0.6, 24] });
  const axis: uPlot.Axis = {
    ...(quiet === undefined ? {} : { stroke: quiet }),
    grid: { stroke: line ?? "", width: 1 },
  };
  return {
    width: node.clientWidth,
    height: HEIGHT,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
    // Until somebody points at a day, the newest one is told.
    hooks: { ready: [(chart) => chart.setLegend({ idx: chart.data[0].length - 1 })] },
    series: [
      { label: "Day", value: (_chart, seconds) => (seconds == null ? "" : sayDay(seconds)) },
      {
        label: "Calls",
        fill: accent ?? "",
        ...(bars === undefined ? {} : { paths: bars }),
        points: { show: false },
      },
      {
        label: "USDC",
        scale: "money",
        stroke: money ?? "",
        // A line would draw days between two that were paid for as days that cost something.
        paths: () => null,
        points: { show: true, size: 7, stroke: money ?? "", fill: money ?? "" },
        value: (_chart, micro) => usdc(micro ?? 0),
      },
    ],
    axes: [
      {
        ...axis,
        values: (_chart, moments) => moments.map(sayDay),
        incrs: [1, 2, 7, 14].map((days) => days * DAY_SECONDS),
      },
      { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 100_000] },
      {
        ...axis,
        grid: { show: false },
        scale: "money",
        side: 1,
        size: 52,
        values: (_chart, amounts) => amounts.map((micro) => (micro / MICRO).toLocaleString("en")),
      },
    ],
    scales: {
      // Whole bars at both ends.
      x: { range: (_chart, least, most) => [least - DAY_SECONDS / 2, most + DAY_SECONDS / 2] },
      y: { range: (_chart, _least, most) => [0, Math.max(1, most)] },
      money: { range: (_chart, _least, most) => [0, Math.max(1, most)] },
    },
  };
}
