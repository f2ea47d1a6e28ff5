export class AnswerTooLarge extends Error {
  constructor(maximumBytes: number) {
    super(`the model's answer is longer than ${maximumBytes} bytes`);
    this.name = "AnswerTooLarge";
  }
}

/**
 * Streams an answer up to a size. Redirects fail, as they would take the key elsewhere. `node:http`'s certainty about what was sent
 * is not needed here: a step of a model has no effect.
 */
export function createBoundedFetch(maximumBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    let received = 0;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        received += chunk.byteLength;
        if (received > maximumBytes) controller.error(new AnswerTooLarge(maximumBytes));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers, body } = response;
    return new Response(body?.pipeThrough(counter) ?? null, { status, statusText, headers });
  };
}
