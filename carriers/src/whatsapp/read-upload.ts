/** The file of a form as `POST /media` takes it. Undefined: it is none, or a part is missing. */
export function readUpload(bytes: Buffer, type: string): { contentType: string; content: Buffer } | undefined {
  const boundary = /^multipart\/form-data; boundary="?([\w'()+,./:=?-]{1,70})"?$/.exec(type)?.[1];
  if (boundary === undefined) return undefined;
  const text = bytes.toString("latin1");
  const parts = new Map<string, { contentType: string; content: Buffer }>();
  for (const part of text.split(`--${boundary}`).slice(1, -1)) {
    const end = part.indexOf("\r\n\r\n");
    const name = /name="(\w+)"/.exec(part.slice(0, end))?.[1];
    if (end < 0 || name === undefined) return undefined;
    const contentType = /content-type: ([\w/.+-]+)/i.exec(part.slice(0, end))?.[1] ?? "text/plain";
    parts.set(name, { contentType, content: Buffer.from(part.slice(end + 4, -2), "latin1") });
  }
  const isWhole = parts.get("messaging_product")?.content.toString() === "whatsapp" && parts.has("type");
  return isWhole ? parts.get("file") : undefined;
}
