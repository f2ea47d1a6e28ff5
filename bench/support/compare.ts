import { runSlice, type Slice } from "./load.ts";

const CONNECTIONS = 64;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const ROUNDS = 5;

export interface Target {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  connections?: number;
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Interleaved slices against every target; prints each one. Figures of different runs do not compare, ratios within one do. */
export async function compare<Name extends string>(
  command: string,
  baselines: readonly string[],
  targets: Readonly<Record<Name, Target>>,
): Promise<{ medianRate(name: Name): number; medianP99(name: Name): number; refused(name: Name): number }> {
  const names = Object.keys(targets).filter((name): name is Name => name in targets);
  const countConnections = (name: Name): number => targets[name].connections ?? CONNECTIONS;
  for (const baseline of baselines) say(`baseline source: ${baseline}`);
  say(
    `load: ${command}: keep-alive connections in a closed loop (${names.map((name) => `${name} ${countConnections(name)}`).join(", ")}), ${SECONDS} s a slice, ${ROUNDS} rounds interleaved, node ${process.version}`,
  );
  const slice = (name: Name, seconds: number) =>
    runSlice({ ...targets[name], connections: countConnections(name), seconds });
  const slices = new Map<Name, Slice[]>(names.map((name) => [name, []]));
  for (const name of names) await slice(name, WARM_UP_SECONDS);
  const width = Math.max(...names.map((name) => name.length));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const name of names) {
      const measured = await slice(name, SECONDS);
      slices.get(name)?.push(measured);
      const { requestsPerSecond, p50Milliseconds, p99Milliseconds, refused } = measured;
      say(
        `round ${round} ${name.padEnd(width)} ${requestsPerSecond.toFixed(0).padStart(7)} requests/s  p50 ${p50Milliseconds.toFixed(1)} ms  p99 ${p99Milliseconds.toFixed(1)} ms  not 200: ${refused}`,
      );
    }
  }
  const all = (name: Name) => slices.get(name) ?? [];
  return {
    medianRate: (name) => median(all(name).map((one) => one.requestsPerSecond)),
    medianP99: (name) => median(all(name).map((one) => one.p99Milliseconds)),
    refused: (name) => all(name).reduce((sum, one) => sum + one.refused, 0),
  };
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
