import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fence, NOTICE } from "./markdown.ts";

const LEADING_COMMENT = /^(?:\/\/.*\n)+/;

/** A page for each program in `examples/`: its leading comment is the text, followed by the code. */
export function examplePages(folder: string): [path: string, text: string][] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .toSorted()
    .map((file) => [
      `examples/${file.replace(/\.ts$/, ".md")}`,
      examplePage(file, readFileSync(join(folder, file), "utf8")),
    ]);
}

function examplePage(file: string, source: string): string {
  const comment = LEADING_COMMENT.exec(source)?.[0] ?? "";
  if (comment === "") throw new Error(`examples/${file} does not begin with a comment that says what it does.`);
  const lines = comment
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\/\/ ?/, ""));
  const name = file.replace(/\.ts$/, "");
  return `${NOTICE}
# Example: ${name}

${paragraphs(lines)}

The program is in \`examples/${file}\`. It verifies the answers that it gets, and the tests run it.

${fence("ts", source.slice(comment.length).trimStart())}
`;
}

/** Indented lines are commands. */
function paragraphs(lines: readonly string[]): string {
  return lines
    .join("\n")
    .split("\n\n")
    .map((block) =>
      block.startsWith("  ") ? fence("sh", block.replaceAll(/^ {2}/gm, "")) : block.replaceAll("\n", " "),
    )
    .join("\n\n");
}
