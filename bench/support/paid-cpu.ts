import { findChild, readOwnCpuSeconds, readTreeCpuSeconds } from "./cpu-seconds.ts";

/** The processes that share the machine in `bench/paid.ts`. */
const PARTS = ["client", "server", "database", "chain", "chain's node"] as const;
type Cpu = Readonly<Record<(typeof PARTS)[number], number>>;

/** Adds up the CPU seconds that each part uses while one side is measured. The chain belongs to the service, and serves both. */
export function openPaidCpu(servicePid: number, serverPid: number) {
  const databasePid = findChild(servicePid, "postgres");
  const chainPid = findChild(servicePid, "devnet/src/main.ts");
  const read = (): Cpu => {
    const { user, system } = process.cpuUsage();
    const chain = readOwnCpuSeconds(chainPid);
    return {
      client: (user + system) / 1e6,
      server: readOwnCpuSeconds(serverPid),
      database: readTreeCpuSeconds(databasePid),
      chain,
      "chain's node": readTreeCpuSeconds(chainPid) - chain,
    };
  };
  let used: Cpu = { client: 0, server: 0, database: 0, chain: 0, "chain's node": 0 };
  return {
    async measure<Result>(work: () => Promise<Result>): Promise<Result> {
      const before = read();
      const result = await work();
      const after = read();
      const add = (part: keyof Cpu) => used[part] + after[part] - before[part];
      used = {
        client: add("client"),
        server: add("server"),
        database: add("database"),
        chain: add("chain"),
        "chain's node": add("chain's node"),
      };
      return result;
    },
    /** Milliseconds of each paid request, and the rate that so many cores bear at most. */
    describe(paid: number, cores: number): string {
      const each = PARTS.map((part) => `${part} ${((used[part] * 1_000) / paid).toFixed(2)}`);
      const together = PARTS.reduce((sum, part) => sum + used[part], 0) / paid;
      return `${each.join(", ")}; together ${(together * 1_000).toFixed(2)} ms, so that ${cores} cores bear ${(cores / together).toFixed(0)}/s`;
    },
  };
}
