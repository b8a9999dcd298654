import { useEffect, useState } from "preact/hooks";

export function useMedia(query: string): boolean {
  const [isMatching, setMatching] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const look = () => setMatching(list.matches);
    list.addEventListener("change", look);
    return () => list.removeEventListener("change", look);
  }, []);
  return isMatching;
}
