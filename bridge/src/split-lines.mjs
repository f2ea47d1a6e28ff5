import { StringDecoder } from "node:string_decoder";

/**
 * The lines of a stream of bytes, ended by LF or CRLF. Not node:readline: that one also ends lines at U+2028 and U+2029,
 * which stand unescaped in JSON texts.
 *
 * @param {AsyncIterable<Buffer>} stream
 * @returns {AsyncGenerator<string>}
 */
export async function* splitLines(stream) {
  const decoder = new StringDecoder("utf8");
  /** @type {string[]} */
  let pieces = [];
  for await (const chunk of stream) {
    const [first = "", ...others] = decoder.write(chunk).split("\n");
    pieces.push(first);
    for (const other of others) {
      yield withoutReturn(pieces.join(""));
      pieces = [other];
    }
  }
  const rest = withoutReturn(pieces.join("") + decoder.end());
  if (rest !== "") yield rest;
}

/** @param {string} line */
function withoutReturn(line) {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/**
 * The texts of the messages in an event stream.
 *
 * @param {AsyncIterable<Buffer>} stream
 * @returns {AsyncGenerator<string>}
 */
export async function* readEvents(stream) {
  /** @type {string[]} */
  let data = [];
  let kind = "message";
  for await (const line of splitLines(stream)) {
    if (line === "") {
      if (data.length > 0 && kind === "message") yield data.join("\n");
      data = [];
      kind = "message";
    } else if (line.startsWith("data:")) data.push(fieldValue(line));
    else if (line.startsWith("event:")) kind = fieldValue(line);
  }
}

/** @param {string} line */
function fieldValue(line) {
  return line.slice(line.indexOf(":") + 1).replace(/^ /, "");
}
