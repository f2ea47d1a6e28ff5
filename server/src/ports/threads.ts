/** A function that can run in another thread. Its input and output are cloned on the way. */
export interface ThreadTask<Input, Output> {
  /** The URL of the module that exports it as `task`. */
  readonly module: string;
  run(input: Input): Output | Promise<Output>;
  /** Runs the task on a sample, so that no caller waits while its code is compiled. */
  rehearse?(): Promise<unknown>;
}

export interface ThreadJob<Input> {
  input: Input;
  /** Owners take turns. */
  owner: string;
  /** The size of the data to read: small work runs in place. */
  bytes: number;
  /** Moved to the thread instead of copied; the caller must not use them afterwards. */
  transfer?: readonly ArrayBuffer[];
  signal?: AbortSignal | undefined;
}

/** Runs work that would block the event loop, such as reading megabytes of JSON. */
export interface Threads {
  run<Input, Output>(task: ThreadTask<Input, Output>, job: ThreadJob<Input>): Promise<Output>;
  /** Loads the task's module, and rehearses it, before its first job. */
  prepare(task: Pick<ThreadTask<never, unknown>, "module">): void;
}
