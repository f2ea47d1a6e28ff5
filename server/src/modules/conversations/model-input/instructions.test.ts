import { expect, test } from "vitest";
import { writeInstructions } from "./instructions.ts";

const situation = {
  locale: "en",
  timeZone: "Europe/London",
  now: Temporal.Instant.from("2030-01-01T09:00:00Z"),
  traveler: { userId: "user_ada", givenName: "Ada", companions: [] },
  older: [],
};

test("on WhatsApp the agent is told to keep to travel, as its rules want it", () => {
  expect(writeInstructions({ ...situation, channel: "whatsapp" })).toContain("for travel only");
  expect(writeInstructions({ ...situation, channel: "slack" })).not.toContain("for travel only");
});
