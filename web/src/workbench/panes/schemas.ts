/** The schemas of the arguments of tools. */
import type { Json, ObjectSchema } from "assent-sdk";

export const PATH = {
  type: "string",
  description: "A path from the root of the workspace, such as `/src/a.ts`.",
};

/** The argument that names a root; absent where there is only one. */
export const rootProperty = (roots: readonly string[]): Record<string, Json> =>
  roots.length < 2
    ? {}
    : {
        root: {
          type: "string",
          enum: [...roots],
          description: `The workspace root in which the path starts; \`${roots[0]}\` if absent.`,
        },
      };

/** A schema of an object with these texts, which are required unless listed. */
export const textSchema = (
  properties: Record<string, string | typeof PATH>,
  optional: readonly string[] = [],
): ObjectSchema => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(properties).map(([name, meaning]) => [
      name,
      typeof meaning === "string" ? { type: "string", description: meaning } : meaning,
    ]),
  ),
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
