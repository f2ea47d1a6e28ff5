import { expect, it } from "vitest";
import { DocumentRefused } from "../document-scanner.ts";
import { detectDocumentType } from "./document-type.ts";

const toBytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

function requireRefusal(bytes: Uint8Array, mediaType?: string): DocumentRefused {
  try {
    detectDocumentType(bytes, mediaType);
  } catch (error) {
    if (error instanceof DocumentRefused) return error;
  }
  throw new Error("It was not refused.");
}

const PNG = "\x89PNG\r\n\x1a\n";
const TYPES = [
  [PNG, "png", "image/png"],
  ["\xff\xd8\xff\xe0", "jpeg", "image/jpeg"],
  ["RIFF\0\0\0\0WEBPVP8 ", "webp", "image/webp"],
  ["II*\0\x08\0\0\0", "tiff", "image/tiff"],
  ["MM\0*\0\0\0\x08", "tiff", "image/tiff"],
  ["\0\0\0\x18ftypheic\0\0\0\0mif1heic", "heic", "image/heic"],
  ["\0\0\0\x18ftypmif1\0\0\0\0mif1heic", "heic", "image/heif"],
  ["%PDF-1.7\n", "pdf", "application/pdf; charset=binary"],
] as const;

it("the first bytes determine a document's type", () => {
  for (const [start, type, mediaType] of TYPES) {
    expect(detectDocumentType(toBytes(start), undefined)).toBe(type);
    expect(detectDocumentType(toBytes(start), mediaType)).toBe(type);
    expect(detectDocumentType(toBytes(start), "application/octet-stream")).toBe(type);
  }
});

it("a media type that differs from the document's is refused, whichever of the two is wrong", () => {
  for (const [start, type] of TYPES) {
    for (const [, otherType, mediaType] of TYPES) {
      if (otherType === type) continue;
      expect(requireRefusal(toBytes(start), mediaType)).toMatchObject({ code: "unsupported_document" });
    }
  }
});

it("unsupported types are refused with advice", () => {
  expect(requireRefusal(toBytes(""))).toMatchObject({ code: "document_damaged" });
  for (const [start, says] of [
    ["GIF89a", /GIF/],
    ['<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', /SVG/],
    ["  <svg onload='alert(1)'/>", /SVG/],
    ["\0\0\0\x1cftypavif\0\0\0\0mif1avif", /AVIF/],
    ["\0\0\0\x1cftypmp42\0\0\0\0isomheic", /file type is not supported/],
    ["\0\0\0\x18ftypmif1\0\0\0\0mif1avif", /file type is not supported/],
    ["PK\x03\x04", /file type is not supported/],
    ["MZ", /file type is not supported/],
    ["GIF89a%PDF-1.7", /GIF/],
    ["junk\n%PDF-1.7", /before the header/],
    ["\xff\xd8", /file type is not supported/],
  ] as const) {
    const refusal = requireRefusal(toBytes(start));
    expect(refusal.code).toBe("unsupported_document");
    expect(refusal.detail).toMatch(says);
  }
});

it("a file of two types at once has the type of its beginning", () => {
  expect(detectDocumentType(toBytes(`${PNG}...PK\x03\x04`), undefined)).toBe("png");
  expect(detectDocumentType(toBytes("%PDF-1.7\n<svg/>PK\x03\x04"), undefined)).toBe("pdf");
  expect(detectDocumentType(toBytes("\xff\xd8\xff\xe0%PDF-1.7"), undefined)).toBe("jpeg");
});
