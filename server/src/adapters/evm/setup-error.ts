/** A chain that does not match the configuration. The message is one line that says what to do. */
export class ChainSetupError extends Error {
  override name = "ChainSetupError";
}
