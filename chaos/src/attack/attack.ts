import type { GuardName } from "./guards.ts";
import type { OutsideCall } from "./reading.ts";
import type { Host, Target } from "./target.ts";

/** The resources that an attack has opened and still holds. */
interface Held {
  /** How often the attacker asked for something. */
  calls: number;
  /** Wrong answers, refusals and leftovers. */
  problems: readonly string[];
  /** Lets go of every connection. Resolves when the attacker has nothing open any more. */
  end(): Promise<void>;
}

interface Bounds {
  /** Above what the process had before. */
  memoryMegabytes: number;
  /** `held`: once garbage is collected, at the end and when the attack asks for it (`Target.collect`). Left out: at any moment. */
  memoryAt?: "held";
  /** Requests that were read and not answered at the same time, of everybody. */
  waitingRequests: number;
  /** For each of the attacker's calls. What is not named is 0. */
  outsideCalls?: Partial<Record<OutsideCall, number>>;
}

/** One kind of hostile client. */
export interface Attack {
  name: string;
  hosts: readonly Host[];
  /** Without it, a bound must be passed. */
  guard: GuardName;
  bounds: Bounds;
  /** True: what it shows needs so much time that only the long form runs it. */
  takesLong?: boolean;
  /** Resolves when everything is sent, and what it does to the service still lasts. */
  begin(target: Target, host: Host): Promise<Held>;
}
