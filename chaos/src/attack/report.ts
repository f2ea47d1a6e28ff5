import { outsideCalls } from "./reading.ts";
import { type Outcome, pickMemory, shorten } from "./run-attack.ts";

export function describeOutcome({ attack, host, calls, reading, honest, equalLoad, problems }: Outcome): string[] {
  const { bounds } = attack;
  const outside = outsideCalls
    .filter((name) => (reading.calls[name] ?? 0) > 0 || bounds.outsideCalls?.[name] !== undefined)
    .map(
      (name) =>
        `${name} ${shorten((reading.calls[name] ?? 0) / calls)} a call (at most ${shorten(bounds.outsideCalls?.[name] ?? 0)})`,
    );
  const times =
    equalLoad === undefined
      ? []
      : [
          `honest p99 ${honest.p99Milliseconds.toFixed(1)} ms, of which the service works ${honest.p99WorkedMilliseconds.toFixed(1)} ms (${equalLoad.p99Milliseconds.toFixed(1)} and ${equalLoad.p99WorkedMilliseconds.toFixed(1)} ms beside an equal honest load)`,
        ];
  return [
    [
      `${problems.length === 0 ? "ok      " : "FAILED  "}${attack.name} on ${host}: ${calls} calls`,
      `memory ${pickMemory(attack, reading).toFixed(0)} MB (at most ${bounds.memoryMegabytes})`,
      `waiting ${reading.mostWaitingRequests} (at most ${bounds.waitingRequests})`,
      ...outside,
      ...times,
      `${honest.refused.length} of ${honest.calls} honest calls refused`,
    ].join(", "),
    ...problems.map((problem) => `          ${problem}`),
    ...honest.refused.slice(0, 3).map((refusal) => `          ${refusal}`),
  ];
}

export function describeControl({ attack, host, reading, problems }: Outcome): string {
  const passed = problems.length > 0;
  return `${passed ? "ok      " : "FAILED  "}${attack.name} on ${host}: ${passed ? problems.join("; ") : `every bound is met without the guard (memory ${pickMemory(attack, reading).toFixed(0)} MB, waiting ${reading.mostWaitingRequests})`}`;
}
