import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const USAGE = `Usage: wayfare-bridge [--url <MCP URL>] [--key-file <file>]

  --url       the server's MCP URL, such as http://127.0.0.1:3000/api/mcp (or WAYFARE_URL)
  --key-file  a file that holds the API key (or WAYFARE_API_KEY)
`;

/** A start that cannot succeed; its message is for standard error. */
export class SettingsError extends Error {}

/** @typedef {{ url: URL, apiKey: string | undefined }} Settings */

/**
 * Messages never repeat an argument: a key may have been given in the wrong place.
 *
 * @param {readonly string[]} words
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {Settings}
 */
export function readSettings(words, environment) {
  const { url, keyFile } = readWords(words);
  return {
    url: readUrl(url ?? environment.WAYFARE_URL),
    apiKey: readKey(keyFile === undefined ? environment.WAYFARE_API_KEY : readKeyFile(keyFile)),
  };
}

/** @param {readonly string[]} words */
function readWords(words) {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { url: { type: "string" }, "key-file": { type: "string" }, help: { type: "boolean" } },
    });
    if (values.help) throw new SettingsError(USAGE);
    return { url: values.url, keyFile: values["key-file"] };
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError(`An argument is unknown. The key never goes on the command line.\n\n${USAGE}`);
  }
}

/** @param {string | undefined} text */
function readUrl(text) {
  if (text === undefined || text === "") throw new SettingsError(`The server's URL is missing.\n\n${USAGE}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw new SettingsError("The server's URL is not an http or https URL.\n");
  }
  if (url.username !== "" || url.password !== "")
    throw new SettingsError("The server's URL must not contain a password.\n");
  return url;
}

/** @param {string} path */
function readKeyFile(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    throw new SettingsError(`The key file cannot be read (${String(code)}).\n`);
  }
}

/** @param {string | undefined} text */
function readKey(text) {
  const key = text?.trim();
  if (key === undefined || key === "") return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new SettingsError("The API key contains characters that no key has.\n");
  return key;
}
