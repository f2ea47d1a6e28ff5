import { expect, it } from "vitest";
import { cachedAnswer } from "./cached-answer.ts";

const request = () => new Request("https://travel.example.com/text");
const options = { contentType: "text/plain" };

it("makes its text once for requests that come together", async () => {
  let times = 0;
  const answer = cachedAnswer(async () => `made ${++times}`, options);
  const answers = await Promise.all([answer(request()), answer(request())]);
  expect(await Promise.all(answers.map((one) => one.text()))).toEqual(["made 1", "made 1"]);
});

it("makes its text again if that failed", async () => {
  let times = 0;
  const answer = cachedAnswer(async () => {
    times += 1;
    if (times === 1) throw new Error("The first time.");
    return `made ${times}`;
  }, options);
  await expect(answer(request())).rejects.toThrow("The first time.");
  expect(await (await answer(request())).text()).toBe("made 2");
});
