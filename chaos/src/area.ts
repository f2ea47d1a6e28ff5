import type { Client } from "./client.ts";
import type { Deployment } from "./deployment.ts";
import type { History } from "./history.ts";
import type { Random } from "./random.ts";

/** The result of one invariant. It holds if there are no problems. */
export interface Finding {
  invariant: string;
  /** How many things were compared; none means that nothing was shown. */
  checked: number;
  problems: readonly string[];
  /** It sums up everything, and so holds only in a run in which nothing but this area's calls take place. */
  onlyAlone?: true;
}

export interface Scene {
  deployment: Deployment;
  client: Client;
  history: History;
  /** How much of its usual load the area makes: 1 alone, less beside others. */
  share: number;
}

/** One run's hold on an area. */
export interface AreaRun {
  /** Works until the signal ends it, through every outage. Never throws for what a caller must live with. */
  storm(round: number, random: Random, signal: AbortSignal): Promise<void>;
  /** How many of what the area is about were begun, for a run that ends by their number. */
  begun?(): number;
  /** Arms faults of the outside systems for what comes next. */
  disturb(random: Random): Promise<void>;
  /** Resolves at a moment at which a kill matters here, or soon in vain. */
  nextMoment?(random: Random, signal: AbortSignal): Promise<void>;
  /** Looks, right after a kill, at what it has caught. */
  witness?(): Promise<void>;
  /** Observations beside the findings, for the report. */
  notes?(): readonly string[];
  /** Cases that must be answered at least once in a run, and whether they were: the last storm continues for the missing ones. */
  covered?(): ReadonlyMap<string, boolean>;
  /** In a run of several areas, ends the storms of areas whose cases are all covered: no further kill comes. */
  endCovered?(): void;
  /** Matters that still have to end by themselves, in words; empty when all is settled. */
  openMatters(): Promise<readonly string[]>;
  /** After everything settled: asks again, without kills, for what was asked before, answered or not. */
  askAgain(random: Random, signal: AbortSignal): Promise<void>;
  /** Once, before everything settles: situations that random kills hardly ever bring about, one after the other. */
  trials?(signal: AbortSignal): Promise<readonly Finding[]>;
  /** `running`: what must hold at any moment. `settled`: everything. Each compares our books with those of others. */
  audit(phase: "running" | "settled"): Promise<readonly Finding[]>;
}

/** Settings of the service in every area: no limit stands in the way, and its log does not drown the report. */
export const UNLIMITED_CALLS = {
  LOG_LEVEL: "warn",
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
} as const;

/** Something of the harness's own that the service uses, with the settings that name it. */
interface Outside {
  environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A part of the product under chaos: what is done to it, and what must hold afterwards. One module each. */
export interface Area {
  name: string;
  summary: string;
  /**
   * Set: a second process serves the edge host beside the service, or both hosts with `SERVE: "both"`, with these settings more; its
   * name as a part is `edge`.
   */
  edge?: Readonly<Record<string, string>>;
  /** A later release is deployed in the middle of the run. */
  deploys?: true;
  /**
   * The nemesis's victims: embedded parts, by their names in parts.json, or their processes (`victims.ts`). The service
   * itself is always killed too.
   */
  parts: readonly string[];
  /** Topics of notifications between which and their work the service dies once a round. */
  notifications?: readonly string[];
  /** The guards that `--break` accepts here. */
  guards: readonly string[];
  /** The service's settings beside the harness's own. */
  environment: Readonly<Record<string, string>>;
  /** Starts what only this area needs outside the product. */
  startOutside?(): Promise<Outside>;
  open(scene: Scene): Promise<AreaRun>;
}
