import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// While developing, the app is served by Vite and everything else by a running `assent serve`.
const server = process.env["ASSENT_URL"] ?? "http://127.0.0.1:8722";

const here = (path: string) => new URL(path, import.meta.url).pathname;

export default defineConfig({
  base: "./",
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      "@": here("src"),
      "assent-sdk/react": here("sdk/src/react.tsx"),
      "assent-sdk": here("sdk/src/index.ts"),
    },
  },
  server: { host: "127.0.0.1", proxy: { "/v1": { target: server, ws: true } } },
  // A file inlined as a `data:` address would need a looser content security policy.
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 900, modulePreload: { polyfill: false } },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}", "sdk/src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    testTimeout: 60_000, // machines that run tests are busy
    hookTimeout: 60_000,
  },
});
