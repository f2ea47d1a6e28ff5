import { describe, expect, it } from "vitest";
import { fitToChannel } from "./channel-text.ts";
import { buildDeepLinks } from "./deep-links.ts";

const [one, two, three] = [
  { latitude: 38.7144, longitude: -9.1405 },
  { latitude: 0.0000001, longitude: 180 },
  { latitude: -90, longitude: 0 },
];

describe("deep links", () => {
  it("open every stop in order, without an exponent", () => {
    const links = buildDeepLinks([one, two, three], "driving");
    const google = new URL(links.google);
    expect(Object.fromEntries(google.searchParams)).toEqual({
      api: "1",
      origin: "38.714400,-9.140500",
      destination: "-90.000000,0.000000",
      waypoints: "0.000000,180.000000",
      travelmode: "driving",
    });
    expect(links.apple.map((link) => new URL(link).searchParams.get("dirflg"))).toEqual(["d", "d"]);
    expect(new URL(links.openStreetMap[1] ?? "").searchParams.get("route")).toBe(
      "0.000000,180.000000;-90.000000,0.000000",
    );
  });

  it("omit what a map app does not support", () => {
    expect(buildDeepLinks([one, two], "transit").openStreetMap).toEqual([]);
    expect(buildDeepLinks([one, two], "bicycling").apple[0]).not.toContain("dirflg");
    expect(buildDeepLinks([one, two], "walking").google).not.toContain("waypoints");
  });
});

describe("a text for a channel", () => {
  const links = [{ label: "Directions", url: `https://maps.example/${"x".repeat(300)}` }];
  const card = {
    title: "A *bold* <https://evil.example|title> [link](x)",
    summary: "2 stops",
    notes: "note ".repeat(500),
    links,
    lines: Array.from({ length: 10 }, (_, index) => `Stop ${index} ${"long ".repeat(60)}`),
    picture: { label: "Map", url: "https://app.example/api/files/a.png" },
  };

  it.each([
    ["whatsapp", 1_024],
    ["slack", 3_000],
    ["email", 10_000],
    ["web", 8_000],
    ["mcp", 8_000],
  ] as const)("fits %s, with every stop and link in it", (channel, most) => {
    const { text } = fitToChannel(card, channel);
    expect(text.length).toBeLessThanOrEqual(most);
    for (const part of [...card.lines.map((_, index) => `${index + 1}. Stop`), links[0]?.url ?? ""]) {
      expect(text).toContain(part);
    }
  });

  it("escapes markup in names", () => {
    expect(fitToChannel(card, "slack").text).toContain("*A ∗bold∗ &lt;https://evil.example|title&gt; [link](x)*");
    expect(fitToChannel(card, "mcp").text).toContain(
      "**A \\*bold\\* \\<https://evil.example\\|title\\> \\[link\\](x)**",
    );
    expect(fitToChannel(card, "whatsapp").text.split("\n")[0]).toMatch(/^\*A ∗bold∗/);
  });
});
