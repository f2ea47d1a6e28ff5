import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The answer that a connection's latest request gets. */
export type LatestAnswer = (socket: object) => ServerResponse | undefined;

const ASK_MILLISECONDS = 500;
const eventStreams = new WeakSet<ServerResponse>();

/** Between its events a comment may be sent at any time. */
export function markEventStream(answer: ServerResponse): void {
  eventStreams.add(answer);
}

export function rememberLatestAnswers(server: Server): LatestAnswer {
  const answers = new WeakMap<object, ServerResponse>();
  server.on("request", (incoming, response) => answers.set(incoming.socket, response));
  return (socket) => answers.get(socket);
}

/**
 * A client that closed its half of the connection may still read, and gets its answer. One that has gone altogether looks
 * the same until something is sent to it: so it is sent what clients pass over, and is found gone when that comes back.
 */
export function answerHalfClosed(server: Server, latestAnswer: LatestAnswer): void {
  // Of node:http since its beginning, but in no documentation and no types.
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
