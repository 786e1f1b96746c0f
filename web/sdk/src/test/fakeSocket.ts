/** A socket that a test holds by its other end. */
import type { PageFrame } from "../protocol";

export class FakeSocket {
  readyState = 0;
  sent: PageFrame[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;

  constructor(readonly address: string) {}

  send(text: string) {
    this.sent.push(JSON.parse(text) as PageFrame);
  }
  close() {
    this.end(1000);
  }

  /** What the server does. */
  accept() {
    this.readyState = 1;
    this.onopen?.();
  }
  receive(frame: object) {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }
  end(code: number, reason = "") {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }

  framesOf(type: string) {
    return this.sent.filter((frame) => frame.type === type);
  }
}
