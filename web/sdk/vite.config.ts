import { defineConfig } from "vite";

// The published package: two entries that share their code; React stays outside.
export default defineConfig({
  root: new URL(".", import.meta.url).pathname,
  build: {
    lib: { entry: { index: "src/index.ts", react: "src/react.tsx" }, formats: ["es"] },
    rolldownOptions: { external: /^react/ },
    emptyOutDir: true,
    minify: false,
  },
});
