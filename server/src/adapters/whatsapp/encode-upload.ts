import { randomUUID } from "node:crypto";
import type { ChatDocument } from "../../ports/chat.ts";

/** A form with a file, as `POST /{phone number id}/media` wants it. */
export function encodeUpload({ fileName, contentType, content }: ChatDocument) {
  const boundary = `wayfare-${randomUUID()}`;
  const name = fileName.replaceAll(/[^\w.-]/g, "_");
  const field = (key: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`;
  const before = [
    field("messaging_product", "whatsapp"),
    field("type", contentType),
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${contentType}\r\n\r\n`,
  ];
  return {
    content: Buffer.concat([Buffer.from(before.join("")), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
