/** The id of a page, which it keeps while it reloads and which a duplicated tab does not share. */
/** Take the id that this tab left before its reload, or a new one. */
export declare function takePageId(): string;
