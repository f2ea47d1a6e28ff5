import { describe, expect, test } from "vitest";
import { prompts, registry } from "../../contributions.ts";

const today = Temporal.PlainDate.from("2026-11-20");
const tools = new Map(registry.map((tool) => [tool.name, tool]));

describe.each(prompts.map((prompt) => [prompt.name, prompt] as const))("%s", (_name, prompt) => {
  const required = prompt.arguments.filter((argument) => argument.required).map(({ name }) => name);
  const full = prompt.render((name) => `<${name}>`, today);
  const least = prompt.render((name) => (required.includes(name) ? `<${name}>` : undefined), today);

  test("has a name, a title and a description as clients show them", () => {
    expect(prompt.name).toMatch(/^[a-z]+(-[a-z]+)+$/);
    expect(prompt.title.length).toBeLessThanOrEqual(40);
    expect(prompt.description).toMatch(/^[A-Z].*\.$/);
    for (const argument of prompt.arguments) expect(argument.description).toMatch(/^[A-Z]/);
  });

  test("names only existing tools, by their names", () => {
    for (const text of [full, least]) {
      const named = [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([name]) => name);
      expect(named.length).toBeGreaterThan(0);
      for (const name of named) {
        expect(tools.has(name), name).toBe(true);
        expect(text).toContain(`\`${name}\``);
      }
    }
  });

  test("uses every argument, and reads well without the optional ones", () => {
    for (const { name } of prompt.arguments) expect(full).toContain(`<${name}>`);
    for (const name of required) expect(least).toContain(`<${name}>`);
    expect(least).not.toMatch(/undefined|null|\n{3}|: \.| {2}/);
    expect(full).toContain("2026-11-20");
  });

  test("never has a model spend without an explicit yes", () => {
    expect(full).toContain("explicit yes");
    const spends = [...tools.values()].filter((tool) => tool.effect === "spend" && full.includes(`\`${tool.name}\``));
    for (const { name } of spends) {
      expect(full.indexOf("explicit yes"), name).toBeLessThan(full.indexOf(`\`${name}\``));
    }
  });
});

test("prompts have different names", () => {
  expect(new Set(prompts.map(({ name }) => name)).size).toBe(prompts.length);
});
