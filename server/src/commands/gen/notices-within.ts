/** Notices of what packages hold of others and do not bring the notice of themselves. */
export const NOTICES_WITHIN: readonly (readonly [text: string, names: string[]])[] = [
  [
    `Copyright 2014 The PDFium Authors

${bsd("the name of Google LLC nor the names of its contributors")}`,
    ["PDFium in @hyzyla/pdfium"],
  ],
  [
    `Copyright (C) 2001-2020 Leptonica. All rights reserved.

${bsd()}`,
    ["Leptonica in tesseract.js-core"],
  ],
];

/** The two clauses, or three where somebody's name may not be used. */
function bsd(names?: string): string {
  const clauses = [
    "Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.",
    "Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided with the distribution.",
    ...(names === undefined
      ? []
      : [
          `Neither ${names} may be used to endorse or promote products derived from this software without specific prior written permission.`,
        ]),
  ];
  return `Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met:

${clauses.map((clause) => `* ${clause}`).join("\n")}

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.`;
}
