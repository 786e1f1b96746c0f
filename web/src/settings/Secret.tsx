/** A secret that is shown this once. */
import { toast } from "@/ui/announce";
import { Button } from "@/ui/Button";
import { useSay } from "@/words/words";

export function Secret({ value }: { value: string }) {
  const say = useSay();
  const copy = async () => {
    await navigator.clipboard?.writeText(value);
    toast(say("copied"), "copy");
  };
  return (
    <div className="tone-ask grid gap-1.5 rounded-m bg-ask-soft p-3" role="status">
      <p className="tinted font-medium">{say("tokenOnce")}</p>
      <div className="flex flex-wrap items-center gap-2">
        <code className="min-w-0 grow break-all">{value}</code>
        <Button small icon="copy" onClick={copy}>
          {say("copy")}
        </Button>
      </div>
    </div>
  );
}
