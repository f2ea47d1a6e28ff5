const SERVER_SENT_EVENTS = "text/event-stream";

/** One event as it was sent: the text that is signed. */
export type Line = string;

/** The events of an answer, in either of its formats: lines of JSON, or server-sent events. */
export async function* readEvents(response: Response): AsyncGenerator<Line, void> {
  if (response.body === null) return;
  const isServerSent = response.headers.get("content-type")?.startsWith(SERVER_SENT_EVENTS) === true;
  for await (const line of readLines(response.body)) {
    if (!isServerSent) {
      if (line !== "") yield line;
    } else if (line.startsWith("data:")) {
      // The service sends each event as one line.
      yield line.slice(line.startsWith("data: ") ? 6 : 5);
    }
  }
}

/** Whole lines without their ends. A last line that was cut off is dropped. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let open = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (open + decoder.decode(value, { stream: true })).split(/\r?\n/);
      open = lines.pop() ?? "";
      yield* lines;
    }
  } finally {
    // Also when the reader stops early: the connection is not needed any more.
    await reader.cancel().catch(() => undefined);
  }
}
