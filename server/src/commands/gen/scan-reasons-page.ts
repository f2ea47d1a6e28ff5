import { REASONS } from "../../modules/documents/reason-codes.ts";
import { NOTICE, table } from "./markdown.ts";

export function scanReasonsPage(): string {
  const rows = Object.entries(REASONS)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, [means, help]]) => [`\`${code}\``, means, help]);
  return `${NOTICE}
# Why a scan needs review

Each of the \`reasons\` returned by [\`scan_document\`](scanning.md) has one of these codes. \`field\` names the field that it concerns; without \`field\`, it concerns the whole document.

${table(["Code", "What it means", "What to do"], rows)}
`;
}
