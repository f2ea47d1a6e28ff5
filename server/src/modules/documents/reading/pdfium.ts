import { PDFiumModule } from "@hyzyla/pdfium";

/** The functions of PDFium in use that the package has no types for. Pointers are offsets into its memory. */
interface TextFunctions {
  _FPDF_GetPageSizeByIndexF(document: number, index: number, size: number): number;
  /** Converts page coordinates to integers of a device that displays it, written to the two last pointers. */
  _FPDF_PageToDevice(
    ...args: readonly [
      ...[page: number, left: number, top: number, width: number, height: number, rotate: number],
      ...[x: number, y: number, deviceX: number, deviceY: number],
    ]
  ): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_GetLooseCharBox(text: number, index: number, rectangle: number): number;
  _FPDFText_GetCharAngle(text: number, index: number): number;
  _FPDFText_IsGenerated(text: number, index: number): number;
  _FPDFText_HasUnicodeMapError(text: number, index: number): number;
  _FPDFText_GetTextObject(text: number, index: number): number;
  _FPDFTextObj_GetTextRenderMode(object: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFDoc_GetAttachment(document: number, index: number): number;
  _FPDFAttachment_GetName(attachment: number, buffer: number, length: number): number;
  _FPDFAttachment_GetFile(attachment: number, buffer: number, length: number, written: number): number;
}

const FUNCTIONS: readonly (keyof TextFunctions)[] = [
  ...(["_FPDF_GetPageSizeByIndexF", "_FPDF_PageToDevice", "_FPDFPageObj_GetBounds", "_FPDFText_GetUnicode"] as const),
  ...(["_FPDFText_GetLooseCharBox", "_FPDFText_GetCharAngle", "_FPDFText_IsGenerated"] as const),
  ...(["_FPDFText_HasUnicodeMapError", "_FPDFDoc_GetAttachmentCount", "_FPDFDoc_GetAttachment"] as const),
  ...(["_FPDFText_GetTextObject", "_FPDFTextObj_GetTextRenderMode"] as const),
  ...(["_FPDFAttachment_GetName", "_FPDFAttachment_GetFile"] as const),
];

type Base = Awaited<ReturnType<typeof PDFiumModule>>;
export type Pdfium = Base & TextFunctions;

/** PDFium as WebAssembly, without a script engine: a PDF's scripts never run. */
export async function openPdfium(): Promise<Pdfium> {
  const pdfium = await PDFiumModule({});
  if (!isWhole(pdfium)) throw new Error("This build of PDFium lacks functions that reading needs.");
  pdfium._FPDF_InitLibraryWithConfig({ version: 2 });
  return pdfium;
}

function isWhole(module: Base): module is Pdfium {
  return FUNCTIONS.every((name) => name in module);
}

/** Lends zeroed memory of PDFium while `use` runs. */
export function withMemory<Result>(pdfium: Pdfium, size: number, use: (pointer: number) => Result): Result {
  const pointer = pdfium.wasmExports.malloc(size);
  if (pointer === 0) throw new RangeError("PDFium has no memory left.");
  try {
    pdfium.HEAPU8.fill(0, pointer, pointer + size);
    return use(pointer);
  } finally {
    pdfium.wasmExports.free(pointer);
  }
}

/** Its current memory: growing replaces the buffer. */
export const memoryView = (pdfium: Pdfium): DataView => new DataView(pdfium.HEAPU8.buffer);
