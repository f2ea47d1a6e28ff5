/** Open handles after this time, such as a kept-alive connection, have nothing left to do. */
const LEFT_OPEN_MILLISECONDS = 100;

/**
 * Ends this process with `code` as soon as nothing is open any more. An immediate process.exit() can hang while V8 compiles in
 * the background, as it does after loading much code (https://github.com/nodejs/node/issues/54918).
 */
export function endProcess(code: number): void {
  process.exitCode = code;
  setTimeout(() => process.exit(), LEFT_OPEN_MILLISECONDS).unref();
}
