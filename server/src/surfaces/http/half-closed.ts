import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The answer to a connection's latest request. */
export type LatestAnswer = (socket: object) => ServerResponse | undefined;

const ASK_MILLISECONDS = 500;
const eventStreams = new WeakSet<ServerResponse>();

/** A comment may be sent between its events at any time. */
export function markEventStream(answer: ServerResponse): void {
  eventStreams.add(answer);
}

export function rememberLatestAnswers(server: Server): LatestAnswer {
  const answers = new WeakMap<object, ServerResponse>();
  server.on("request", (incoming, response) => answers.set(incoming.socket, response));
  return (socket) => answers.get(socket);
}

/**
 * A client that closed its half of the connection may still read, and gets its answer. A client that is gone looks the same
 * until something is sent: so it is sent bytes that clients ignore, and is found gone when they are rejected.
 */
export function answerHalfClosed(server: Server, latestAnswer: LatestAnswer): void {
  // Supported by node:http since its beginning, but in no documentation and no types.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connection", (socket: Socket) => {
    socket.once("end", () => {
      const timer = setInterval(() => {
        const answer = latestAnswer(socket);
        if (answer === undefined || answer.writableEnded) clearInterval(timer);
        else ask(answer);
      }, ASK_MILLISECONDS);
      socket.once("close", () => clearInterval(timer));
    });
  });
}

function ask(answer: ServerResponse): void {
  // Another answer is still before it on its connection.
  if (answer.socket === null) return;
  if (eventStreams.has(answer)) answer.write(":\n\n");
  else if (!answer.headersSent && answer.req.httpVersion === "1.1") answer.writeProcessing();
}
