/** A chain that is not what the configuration says. The message is one line that says what to do. */
export class ChainSetupError extends Error {
  override name = "ChainSetupError";
}
