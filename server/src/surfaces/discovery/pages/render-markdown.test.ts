import { describe, expect, test } from "vitest";
import { renderMarkdown } from "./render-markdown.ts";

const APP = "https://app.example.com";
const render = (markdown: string) => renderMarkdown(markdown, APP);

describe("third-party text", () => {
  test.each([
    ["a tag", "Hello <script>alert(1)</script>"],
    ["a block", "<div onclick=x>\n\nbold\n\n</div>"],
    ["a picture", "![x](https://elsewhere.example/x.png)"],
    ["an image", '<img src=x onerror="alert(1)">'],
    ["a tag in a heading", "## <script>alert(1)</script>"],
    ["a tag in a table", "| a |\n|---|\n| <script>x</script> |"],
    ["a tag in code", "`<script>`\n\n```html\n<script>\n```"],
    ["a fence's language", '```"><script>\nx\n```'],
    ["an unclosed comment", "<!-- <script>alert(1)</script>"],
  ])("%s never takes effect", (_name, markdown) => {
    expect(render(markdown)).not.toMatch(/<(script|img|div (?!class="table"))/);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "&#106;avascript:alert(1)",
  ])("a link to %s stays text", (href) => {
    expect(render(`[press](${href})`)).not.toContain("<a");
  });

  test("a link cannot leave its attribute", () => {
    const html = render('[x](https://e.example/"onmouseover="alert(1))');
    expect(html).not.toContain('"onmouseover');
  });
});

test("comments are hidden", () => {
  expect(render("# A\n\n<!-- note -->\n\nText")).toBe("<h1>A</h1>\n<p>Text</p>\n");
});

test("headings can be linked to, even repeated ones", () => {
  const html = render("# A\n\n## The `cap`, & more\n\n## The cap more");
  expect(html).toContain('<h2 id="the-cap--more">');
  expect(render("## Twice\n\n## Twice")).toMatch(/id="twice".*\n.*id="twice-1"/);
});

test("links to other pages lead to their HTML on the same host; other links stay", () => {
  const html = render(
    `[a](${APP}/docs/tools/x.md#errors) [b](${APP}/docs/index.md) [c](https://other.example/docs/y.md) [d](${APP}/docs/x.mdx)`,
  );
  expect([...html.matchAll(/href="([^"]+)"/g)].map((match) => match[1])).toEqual([
    "/docs/tools/x#errors",
    "/docs",
    "https://other.example/docs/y.md",
    "/docs/x.mdx",
  ]);
});

test("tables scroll separately, and their cells know their column for narrow screens", () => {
  const html = render("| a | `b` <i> |\n|---|---|\n| `1` | 2 |");
  expect(html).toContain('<div class="table" tabindex="0"><table>');
  expect(html).toContain('<td data-label="a"><code>1</code></td><td data-label="b &lt;i&gt;">2</td>');
});
