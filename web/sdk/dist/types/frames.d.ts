/** Texts in the parts of a frame, and JSON that fits into frames. */
/** Split a text so that each part, quoted as JSON, fits into a frame; no part splits a character. */
export declare function splitText(text: string, maxFrame: number): string[];
/** The JSON of a value; half of a surrogate pair, which terminals cut off, is replaced. */
export declare function toJsonText(value: unknown): string;
/** The SHA-256 of a text, in lower-case hexadecimal digits. */
export declare function digestOf(text: string): Promise<string>;
/** The message of anything that was thrown, at most this long. */
export declare function errorText(error: unknown, most: number): string;
