// What the scripts of a page find there besides the browser's own.
interface Window {
  jupyterapp: any; // JupyterLab's, in the browser tests
  _JUPYTERLAB: Record<string, object>; // where it looks for its extensions
  dpviz: any; // of tests/browser/page.js
  dpvizPicture: { way: (e: Element, axis: string) => Way | null }; // of picture.js
  dpvizMoves: boolean; // whether player.js stands in the page already
  dpvizWords: Record<string, string | Record<string, string>>; // of dpviz/words.py
  dpvizSay: (name: string, values?: Record<string, string | number>) => string; // of words.js
  dpvizGrammar: {
    letters: Record<string, string>;
    raised: Record<string, string>;
    parts: Record<string, string>;
    plain: string[];
    either: string;
    longest: number;
  };
  dpvizReadings: (typed: string) => number[]; // of numbers.js
  dpvizCurve: {
    judged: (rule: Curve, drawn: number[]) => string;
    live: (root: Element, rule: Curve, narrow: boolean) => { show: () => void; heights: () => number[] };
  }; // of curve.js
  dpvizWake: (root: HTMLElement) => Promise<void>; // of from_disk.js
  dpvizStored: (name: string, mode: string, record: string) => void; // of front.js
  dpvizRecord?: {
    readonly problem: string;
    entries: () => Record<string, Entry>;
    packed: (entries: Record<string, Entry>) => string;
    tried: (asked: Asked, given: string, reply: string) => void;
    waived: (asked: Asked) => void;
    mark: (name: string, mark: string) => void;
    erase: () => void;
  }; // of record.js
}
interface Curve {
  places: number[];
  heights: number[];
  within: number;
  low: number;
  high: number;
  said: Record<string, string>;
}
interface Way {
  now: number; // pixels
  px: (coordinate: number) => number;
  within: (px: number) => number;
  at: (px: number) => number;
}
interface Asked {
  name: string;
  question: string;
  prediction: boolean;
}
interface Entry {
  question: string;
  prediction: boolean;
  tries: [string, string][];
  waived: boolean;
  mark: string;
}
interface Navigator {
  deviceMemory?: number; // GB; not in every browser
}
