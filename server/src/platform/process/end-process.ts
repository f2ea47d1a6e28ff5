/** What is still open then, such as a connection kept for a next call, has nothing left to do. */
const LEFT_OPEN_MILLISECONDS = 100;

/**
 * Ends this process with `code` as soon as nothing is open any more. Not by process.exit() at once: called while V8 compiles in the
 * background, as it does after much was loaded, that can wait for ever (https://github.com/nodejs/node/issues/54918).
 */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), LEFT_OPEN_MILLISECONDS).unref();
}
