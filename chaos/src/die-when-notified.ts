import type { News } from "../../server/src/platform/database/news.ts";

/**
 * Kills its own process with SIGKILL when a notification about a topic has arrived, before anybody in the process hears of it:
 * no kill from outside could fall between a notification and its work. The harness names the topic in a message, and takes it
 * back with an empty one.
 */
export function dieWhenNotified(news: News): News {
  let fatal = "";
  process.on("message", (topic) => {
    fatal = String(topic);
  });
  // Does not keep the process running.
  process.channel?.unref();
  return {
    ...news,
    on: (topic, tell) =>
      news.on(topic, (text) => {
        if (topic === fatal) process.kill(process.pid, "SIGKILL");
        tell(text);
      }),
  };
}
