import { createRequire } from "node:module";
import { DocumentRefused } from "../document-scanner.ts";
import { type OpenedImage, openPixels, refuseTooLarge } from "./raster.ts";

/** The part of libheif in use; the package has no types for it. */
interface Libheif {
  HeifDecoder: new () => { decode(bytes: Uint8Array): HeifImage[] };
}

interface HeifImage {
  get_width(): number;
  get_height(): number;
  is_primary(): boolean;
  /** Calls back with `null` if the image cannot be decoded. */
  display(target: { data: Uint8Array }, done: (shown: unknown) => void): void;
  free(): void;
}

/** Turned as the file says. Throws `DocumentRefused` if it is too large or cannot be decoded. */
export async function openHeic(bytes: Uint8Array): Promise<OpenedImage> {
  // 2 MB of code, loaded only for these.
  const libheif: Libheif = createRequire(import.meta.url)("libheif-js/wasm-bundle.js");
  const images = new libheif.HeifDecoder().decode(bytes);
  const image = images.find((candidate) => candidate.is_primary()) ?? images[0];
  if (image === undefined) throw damaged();
  const width = image.get_width();
  const height = image.get_height();
  refuseTooLarge(width, height);
  const data = new Uint8Array(width * height * 4);
  const shown = await new Promise<unknown>((resolve) => image.display({ data }, resolve));
  for (const opened of images) opened.free();
  if (shown === null) throw damaged();
  return { raster: await openPixels(data, width, height), pageCount: images.length };
}

const damaged = (): DocumentRefused =>
  new DocumentRefused("document_damaged", "The image cannot be decoded. Send it again, or save it as JPEG.");
