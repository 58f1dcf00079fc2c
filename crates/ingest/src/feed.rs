//! Many threads, one input: blocks are handed out in order, counted side by side and put together at the end.
//!
//! A thread that is free takes the next piece of the input under a lock and counts it outside. So there are as many
//! pieces in memory as threads, whatever the size of the input, and the first error in the order of the input is the
//! one that is told, however fast the others were.

use crate::columns::{ColumnProblem, Columns};
use crate::error::{IngestError, Problem};
use crate::fault::{Fault, FileName, SkippedRows};
use crate::formats::{self, Decimal, Encoding, Open, Reads, Task};
use crate::people::People;
use crate::plan::{KeyColumn, Plan, Role, Slots};
use crate::source::RowSource;
use crate::value::{At, Dictionary, Named, RawValue};
use crate::worker::{Codes, Consumer, Worker, too_many};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::Schema;
use bytes::Bytes;
use fairveil_core::setting::{Setting, Text, visible};
use fairveil_core::text;
use fairveil_core::watch::{Watch, pause};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Where rows come from.
pub enum Input<'a> {
    /// A file.
    File(PathBuf),
    /// Bytes that can be read once, such as standard input.
    Bytes {
        /// What messages call it.
        name: String,
        /// The bytes.
        bytes: Box<dyn Read + Send + 'a>,
    },
    /// Bytes in memory.
    Memory {
        /// What messages call it.
        name: String,
        /// The bytes.
        bytes: Bytes,
    },
    /// Arrow record batches.
    Batches {
        /// What messages call it.
        name: String,
        /// The batches.
        batches: Box<dyn RecordBatchReader + Send + 'a>,
    },
    /// Rows of text: those of a database, which makes the tally itself, or of memory.
    Rows(Box<dyn RowSource + 'a>),
}

impl Input<'_> {
    /// What messages call it.
    pub fn name(&self) -> String {
        match self {
            Input::File(path) => path.display().to_string(),
            Input::Bytes { name, .. } | Input::Memory { name, .. } | Input::Batches { name, .. } => {
                name.clone()
            }
            Input::Rows(source) => source.name(),
        }
    }

    /// Whether what comes out is a tally, whatever the table behind it is.
    pub(crate) fn makes_tally(&self) -> bool {
        matches!(self, Input::Rows(source) if source.makes_tally())
    }

    /// Record batches that are there already.
    pub fn of_batches(name: &str, batches: Vec<RecordBatch>) -> Self {
        let schema = batches.first().map_or_else(|| Arc::new(Schema::empty()), RecordBatch::schema);
        let batches = RecordBatchIterator::new(batches.into_iter().map(Ok), schema);
        Input::Batches { name: name.to_owned(), batches: Box::new(batches) }
    }

    /// The files behind names, of which those with `*`, `?` or `[` may stand for many, in the order of their names.
    #[cfg(feature = "files")]
    pub fn files(names: &[PathBuf]) -> Result<Vec<PathBuf>, IngestError> {
        let mut files = Vec::with_capacity(names.len());
        for name in names {
            let pattern = name.to_str().filter(|text| text.contains(['*', '?', '[']) && !name.exists());
            let Some(pattern) = pattern else {
                files.push(name.clone());
                continue;
            };
            let no_match = || {
                let place = crate::Place { file: pattern.to_owned(), ..crate::Place::default() };
                IngestError { place, problem: Problem::NoMatch }
            };
            let found = glob::glob(pattern).map_err(|_| no_match())?;
            let before = files.len();
            for path in found {
                let path = path.map_err(|error| IngestError {
                    place: crate::Place { file: error.path().display().to_string(), ..Default::default() },
                    problem: Problem::Unreadable(error.into()),
                })?;
                files.extend(Some(path).filter(|path| !path.is_dir()));
            }
            if files.len() == before {
                return Err(no_match());
            }
        }
        // Rows counted twice are a mistake that no number shows.
        let mut met = std::collections::HashSet::new();
        for file in &files {
            let regular = std::fs::metadata(file).is_ok_and(|about| about.is_file());
            if regular && identity(file).is_some_and(|file| !met.insert(file)) {
                let place = crate::Place { file: file.display().to_string(), ..crate::Place::default() };
                return Err(IngestError { place, problem: Problem::FileTwice });
            }
        }
        Ok(files)
    }
}

/// What tells a file from others, whatever names it goes by.
#[cfg(all(feature = "files", unix))]
fn identity(path: &std::path::Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let about = std::fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

#[cfg(all(feature = "files", not(unix)))]
fn identity(path: &std::path::Path) -> Option<PathBuf> {
    path.canonicalize().ok()
}

/// How the fields of a row are set apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Delimiter {
    /// The one of comma, tab, semicolon and bar that the header has most of.
    #[default]
    Detect,
    /// This byte.
    Byte(u8),
}

/// How to read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What sets the fields of a text apart.
    pub delimiter: Delimiter,
    /// How letters are written as bytes; told by the first bytes, if left out.
    pub encoding: Option<Encoding>,
    /// What stands before the decimals of numbers in a text.
    pub decimal: Decimal,
    /// Told what was found out about texts that nobody said.
    pub notes: Option<Arc<Notes>>,
    /// Threads; as many as the machine has, if left out.
    pub threads: Option<usize>,
    /// Leave out rows that are broken by themselves, and count them.
    pub lenient: bool,
    /// Told how far it is.
    pub progress: Option<Arc<Progress>>,
    /// The most bytes that may grow with the rows; as many as there are, if left out.
    pub max_memory: Option<u64>,
    /// Sees the bytes that are read.
    pub witness: Option<Arc<dyn Witness>>,
}

/// What was found out about texts that nobody said, in the order of their names. Whoever reads must pass it on.
#[derive(Debug, Default)]
pub struct Notes(Mutex<BTreeSet<(String, Note)>>);

/// Something about a text that nobody said.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Note {
    /// How its letters are written.
    Encoding(Encoding),
    /// Its numbers have commas before their decimals.
    Commas,
    /// Most values of a column of first names or surnames are more than one word.
    WholeNames {
        /// The column.
        column: String,
        /// What it was named as.
        named: Setting,
    },
    /// Its features are used as they are, and one varies more than another.
    Unscaled {
        /// The one that varies most.
        large: String,
        /// The one that varies least.
        small: String,
        /// How many times as much.
        times: u64,
    },
}

impl Notes {
    /// One sentence for each.
    pub fn sentences(&self) -> Vec<Text> {
        let notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sentence = |(file, note): &(String, Note)| match note {
            Note::Encoding(Encoding::Latin1) => text![
                format!(
                    "{}: read as Latin-1 (windows-1252), because its letters are not UTF-8; ",
                    visible(file)
                ),
                Setting::Encoding,
                " settles it"
            ],
            Note::Encoding(encoding) => {
                let encoding = encoding.name().to_uppercase();
                format!("{}: read as {encoding}, which its first bytes show", visible(file)).into()
            }
            Note::Commas => format!(
                "{}: commas in its numbers are read as decimal marks (0,5 is one half)",
                visible(file)
            )
            .into(),
            Note::WholeNames { column, named } => text![
                format!("`{}` seems to hold whole names, and ", visible(column)),
                *named,
                " needs one part: the first part that its table knows was looked up; split the column, and name each part"
            ],
            Note::Unscaled { large, small, times } => text![
                format!(
                    "features are used as they are, and `{}` varies {times} times as much as `{}`; ",
                    visible(large),
                    visible(small)
                ),
                Setting::Scale,
                " lets all of them count alike"
            ],
        };
        notes.iter().map(sentence).collect()
    }
}

/// How texts are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    pub delimiter: Delimiter,
    pub encoding: Option<Encoding>,
    pub decimal: Decimal,
    notes: Option<Arc<Notes>>,
}

impl Texts {
    pub fn of(reading: &Reading) -> Self {
        let Reading { delimiter, encoding, decimal, notes, .. } = reading;
        Texts { delimiter: *delimiter, encoding: *encoding, decimal: *decimal, notes: notes.clone() }
    }

    /// Tells something about an input.
    pub fn note(&self, file: &str, note: Note) {
        if let Some(notes) = &self.notes {
            notes.0.lock().unwrap_or_else(PoisonError::into_inner).insert((file.to_owned(), note));
        }
    }
}

impl Reading {
    /// Tells something about the table as a whole.
    pub fn note(&self, note: Option<Note>) {
        note.into_iter().for_each(|note| Texts::of(self).note("", note));
    }
}

/// Sees the bytes of an input that is read from its first to its last, in order, as they lie: texts, packed or not, and Arrow
/// streams. Of Parquet and Arrow files, which are read in parts, it sees the start.
pub trait Witness: std::fmt::Debug + Send + Sync {
    /// These bytes of an input, the first of which is 0, are next.
    fn sees(&self, input: u32, bytes: &[u8]);
}

/// How far reading is; another thread may look at it.
#[derive(Debug, Default)]
pub struct Progress {
    pub(crate) rows: AtomicU64,
    pub(crate) bytes: Arc<AtomicU64>,
    pub(crate) total: AtomicU64,
}

impl Progress {
    /// Rows counted so far.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Bytes of all inputs; 0 where that is not known.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

/// What all threads have, put together.
pub(crate) struct Gathered<C> {
    pub plan: Plan,
    pub files: Vec<FileName>,
    pub dictionaries: Vec<Dictionary>,
    pub consumer: C,
    pub skipped: SkippedRows,
    pub people: People,
}

/// From the columns of a file to what is taken from its rows.
pub(crate) type Resolve<'r> = dyn Fn(&str, &[String]) -> Result<(Plan, Slots), IngestError> + Sync + 'r;

/// The inputs, one after the other, cut into pieces.
pub(crate) struct Feeder<'a> {
    waiting: VecDeque<(u32, Input<'a>)>,
    open: Option<Open<'a>>,
    pub files: Vec<FileName>,
    resolve: &'a Resolve<'a>,
    columns: &'a Columns,
    texts: Texts,
    plan: Option<Plan>,
    meter: Meter,
}

impl<'a> Feeder<'a> {
    fn new(
        inputs: Vec<Input<'a>>,
        columns: &'a Columns,
        reading: &Reading,
        resolve: &'a Resolve<'a>,
    ) -> Self {
        let files = inputs.iter().map(|input| FileName { name: input.name(), has_lines: true }).collect();
        let waiting = inputs.into_iter().enumerate().map(|(i, input)| (i as u32, input)).collect();
        let read = reading.progress.as_ref().map(|progress| Arc::clone(&progress.bytes)).unwrap_or_default();
        let meter = Meter { read, witness: reading.witness.clone() };
        let texts = Texts::of(reading);
        Feeder { waiting, open: None, files, resolve, columns, texts, plan: None, meter }
    }

    /// Opens the next input and makes sure that it has the columns of the first.
    fn open_next(&mut self) -> Result<bool, Fault> {
        let Some((file, input)) = self.waiting.pop_front() else { return Ok(false) };
        let name = self.files[file as usize].name.clone();
        let mut header = |header: &[String]| {
            let (plan, slots) = (self.resolve)(&name, header).map_err(|e| Fault::of_header(file, e))?;
            match &self.plan {
                Some(first) if *first != plan => {
                    let problem = Problem::OtherColumns { first: first.names(), found: plan.names() };
                    return Err(Fault::of_file(file, problem));
                }
                _ => self.plan = Some(plan),
            }
            Ok(slots)
        };
        let open = formats::open(file, input, &self.texts, self.columns, &self.meter, &mut header)?;
        self.files[file as usize].has_lines = open.has_lines();
        self.open = Some(open);
        Ok(true)
    }

    /// The next piece; text goes into the buffer. After a fault there is none: what follows was lost with it, and another
    /// thread would tell of it as if it were whole.
    fn next(&mut self, buffer: &mut Vec<u8>) -> Result<Option<Task>, Fault> {
        let piece = self.piece(buffer);
        if piece.is_err() {
            self.open = None;
            self.waiting.clear();
        }
        piece
    }

    fn piece(&mut self, buffer: &mut Vec<u8>) -> Result<Option<Task>, Fault> {
        loop {
            if let Some(open) = &mut self.open
                && let Some(task) = open.next(buffer)?
            {
                return Ok(Some(task));
            }
            self.open = None;
            if !self.open_next()? {
                return Ok(None);
            }
        }
    }
}

/// The inputs, of which the first is open: what is taken from their rows is known.
struct Opened<'a> {
    feeder: Feeder<'a>,
    plan: Plan,
    threads: usize,
}

/// What threads met, put together.
struct Met {
    files: Vec<FileName>,
    dictionaries: Vec<Dictionary>,
    skipped: SkippedRows,
    people: People,
    /// For each thread after the first, the codes of its values.
    codes: Vec<Codes>,
}

/// Reads all inputs and puts together what consumers made of their rows.
pub(crate) fn gather<'a, C: Consumer>(
    inputs: Vec<Input<'a>>,
    columns: &'a Columns,
    reading: &Reading,
    resolve: &'a Resolve<'a>,
    consumer: impl Fn(&Plan) -> C,
) -> Result<Gathered<C>, IngestError> {
    let Opened { feeder, plan, threads } = Opened::new(inputs, columns, reading, resolve)?;
    let mut consumers: Vec<C> = (0..threads).map(|_| consumer(&plan)).collect();
    let shares = consumers.iter_mut().map(|consumer| consumer as &mut dyn Consumer).collect();
    let Met { files, dictionaries, skipped, people, codes } = read(feeder, &plan, columns, reading, shares)?;
    let mut consumers = consumers.into_iter();
    let Some(mut consumer) = consumers.next() else {
        return Err(Fault::of_file(0, Problem::EmptyFile).named(&files));
    };
    for (more, codes) in consumers.zip(&codes) {
        consumer.merge(more, codes).map_err(|problem| Fault::of_file(0, problem).named(&files))?;
    }
    Ok(Gathered { plan, files, dictionaries, consumer, skipped, people })
}

impl<'a> Opened<'a> {
    fn new(
        inputs: Vec<Input<'a>>,
        columns: &'a Columns,
        reading: &Reading,
        resolve: &'a Resolve<'a>,
    ) -> Result<Self, IngestError> {
        let tally = inputs.iter().position(Input::makes_tally).filter(|_| inputs.len() > 1);
        let sizes: Vec<Option<u64>> = inputs.iter().map(size).collect();
        let total = sizes.iter().copied().sum::<Option<u64>>().unwrap_or(0);
        if let Some(progress) = &reading.progress {
            progress.total.store(total, Ordering::Relaxed);
            progress.bytes.store(0, Ordering::Relaxed);
            progress.rows.store(0, Ordering::Relaxed);
        }
        let mut feeder = Feeder::new(inputs, columns, reading, resolve);
        let mixed = tally.map_or(Ok(false), |file| Err(Fault::of_file(file as u32, Problem::Mixed)));
        if let Err(fault) = mixed.and_then(|_| feeder.open_next()) {
            return Err(fault.named(&feeder.files));
        }
        let plan =
            feeder.plan.clone().ok_or_else(|| Fault::of_file(0, Problem::EmptyFile).named(&feeder.files))?;
        // Starting threads costs more than a small table takes, and there are places without any.
        const SMALL: u64 = 1 << 20;
        let small = sizes.iter().all(Option::is_some) && total < SMALL;
        let available = || std::thread::available_parallelism().map_or(1, NonZero::get);
        let alone = small || cfg!(target_family = "wasm");
        let threads = if alone { 1 } else { reading.threads.unwrap_or_else(available).max(1) };
        Ok(Opened { feeder, plan, threads })
    }
}

/// Reads all rows, shared out to as many threads as there are consumers.
fn read<'w>(
    feeder: Feeder,
    plan: &'w Plan,
    columns: &'w Columns,
    reading: &Reading,
    consumers: Vec<&'w mut (dyn Consumer + 'w)>,
) -> Result<Met, IngestError> {
    let worker = |consumer| {
        let mut worker = Worker::new(plan, &columns.missing, reading.lenient, consumer);
        // Texts with a delimiter say more.
        worker.decimals.reads = if reading.decimal == Decimal::Comma { Reads::Comma } else { Reads::Point };
        worker
    };
    let mut workers: Vec<Worker> = consumers.into_iter().map(worker).collect();
    let feeder = Mutex::new(feeder);
    let stop = AtomicBool::new(false);
    let watch = Watch::current();
    let rows = |n| {
        if let Some(progress) = &reading.progress {
            progress.rows.fetch_add(n, Ordering::Relaxed);
        }
        if watch.as_ref().is_some_and(Watch::is_off) {
            stop.store(true, Ordering::Relaxed);
        }
    };
    let memory = Memory { most: reading.max_memory, held: AtomicU64::new(0) };
    let mut faults: Vec<Fault> = match workers.as_mut_slice() {
        [alone] => work(alone, &feeder, &stop, &memory, &rows).err().into_iter().collect(),
        many => std::thread::scope(|scope| {
            let (feeder, stop, memory, rows) = (&feeder, &stop, &memory, &rows);
            let (own, others) = many.split_at_mut(1);
            // A thread that cannot start leaves its share to the others.
            let start = |worker| {
                std::thread::Builder::new()
                    .spawn_scoped(scope, move || work(worker, feeder, stop, memory, rows))
            };
            let threads: Vec<_> = others.iter_mut().map_while(|worker| start(worker).ok()).collect();
            let here =
                own.iter_mut().map(|worker| work(worker, feeder, stop, memory, rows)).collect::<Vec<_>>();
            let ended = threads.into_iter().map(|thread| thread.join());
            let ended = ended.map(|ended| ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            here.into_iter().chain(ended).filter_map(Result::err).collect()
        }),
    };
    // What is read so far is not the table, and whoever called it off wants none.
    pause();
    let files = feeder.into_inner().unwrap_or_else(PoisonError::into_inner).files;
    // Each thread met some of the values: where the limit was passed is known only now.
    faults.extend(overflow(&workers));
    if let Some(first) = faults.into_iter().min_by_key(|fault| fault.at) {
        return Err(first.named(&files));
    }
    let mut workers = workers.into_iter();
    let Some(mut first) = workers.next() else {
        return Err(Fault::of_file(0, Problem::EmptyFile).named(&files));
    };
    let codes = workers.map(|more| first.merge(more)).collect();
    let commas = first.decimals.settled().map_err(|fault| fault.named(&files))?;
    commas.iter().for_each(|file| Texts::of(reading).note(&files[*file as usize].name, Note::Commas));
    first.whole_names(&columns.names).into_iter().for_each(|note| reading.note(Some(note)));
    if let Some(fault) = unmapped(&first, columns.show_values) {
        return Err(fault.named(&files));
    }
    let Worker { dictionaries, skipped, people, .. } = first;
    Ok(Met { files, dictionaries, skipped, people, codes })
}

/// The size of an input, where it has one.
pub(crate) fn size(input: &Input) -> Option<u64> {
    match input {
        Input::File(path) => {
            std::fs::metadata(path).ok().filter(|meta| meta.is_file()).map(|meta| meta.len())
        }
        Input::Memory { bytes, .. } => Some(bytes.len() as u64),
        Input::Bytes { .. } | Input::Batches { .. } => None,
        // What is in memory, or was counted by a database, is small.
        Input::Rows(_) => Some(0),
    }
}

/// What all threads hold together, and may.
struct Memory {
    most: Option<u64>,
    held: AtomicU64,
}

impl Memory {
    fn grow(&self, more: u64) -> Result<(), Fault> {
        let held = self.held.fetch_add(more, Ordering::Relaxed) + more;
        match self.most {
            Some(most) if held > most => Err(Fault::of_file(0, Problem::Memory { held, most })),
            _ => Ok(()),
        }
    }
}

/// Takes pieces until there are none, or something is wrong here or elsewhere.
fn work(
    worker: &mut Worker,
    feeder: &Mutex<Feeder>,
    stop: &AtomicBool,
    memory: &Memory,
    told: &(dyn Fn(u64) + Sync),
) -> Result<(), Fault> {
    let mut buffer = Vec::new();
    let mut step = || {
        let task = feeder.lock().unwrap_or_else(PoisonError::into_inner).next(&mut buffer)?;
        let Some(task) = task else { return Ok(false) };
        let (before, held) = (worker.rows, worker.held());
        task.run(&buffer, worker)?;
        worker.flush()?;
        memory.grow(worker.held().saturating_sub(held))?;
        told(worker.rows - before);
        Ok(true)
    };
    // Pieces are handed out in order: those before a fault are in other threads' hands and will be finished.
    while !stop.load(Ordering::Relaxed) {
        match step() {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(fault) => {
                stop.store(true, Ordering::Relaxed);
                return Err(fault);
            }
        }
    }
    Ok(())
}

/// The first value of a key past its limit, over all threads.
fn overflow(workers: &[Worker]) -> Option<Fault> {
    let plan = workers.first()?.plan;
    let past = |(key, column): (usize, &KeyColumn)| {
        let met: usize = workers.iter().map(|worker| worker.dictionaries[key].values.len()).sum();
        if met < column.limit {
            return None;
        }
        let mut first: BTreeMap<&str, At> = BTreeMap::new();
        for value in workers.iter().flat_map(|worker| &worker.dictionaries[key].values) {
            let at = first.entry(&value.text).or_insert(value.first);
            *at = value.first.min(*at);
        }
        let mut ats: Vec<At> = first.into_values().collect();
        ats.sort_unstable();
        let values = workers.iter().flat_map(|worker| &worker.dictionaries[key].values);
        let problem = too_many(column, values);
        ats.get(column.limit).map(|at| Fault { at: *at, column: Some(column.name.clone()), problem })
    };
    plan.keys.iter().enumerate().filter_map(past).min_by_key(|fault| fault.at)
}

/// The first value that a map does not name. What tells a group is not repeated, unless that is asked for.
fn unmapped(worker: &Worker, show: bool) -> Option<Fault> {
    let of_key = |(key, column): (usize, &KeyColumn)| {
        let values = &worker.dictionaries[key].values;
        let unsaid: Vec<&RawValue> = values.iter().filter(|value| value.named == Named::Unsaid).collect();
        let first = unsaid.iter().min_by_key(|value| value.first)?;
        let show = show || !matches!(column.role, Role::Guess | Role::KnownGroup | Role::TrueGroup);
        let value = show.then(|| first.text.clone());
        let problem = ColumnProblem::Unmapped { value, more: unsaid.len() - 1 };
        Some(Fault { at: first.first, column: Some(column.name.clone()), problem: Problem::Columns(problem) })
    };
    worker.plan.keys.iter().enumerate().filter_map(of_key).min_by_key(|fault| fault.at)
}

/// Who is told of bytes as they pass.
#[derive(Debug, Clone, Default)]
pub(crate) struct Meter {
    pub read: Arc<AtomicU64>,
    pub witness: Option<Arc<dyn Witness>>,
}

/// Bytes of an input, counted and seen as they pass.
pub(crate) struct Metered<R> {
    pub inner: R,
    pub input: u32,
    pub meter: Meter,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let read = self.inner.read(out)?;
        self.meter.read.fetch_add(read as u64, Ordering::Relaxed);
        if let Some(witness) = &self.meter.witness {
            witness.sees(self.input, &out[..read]);
        }
        Ok(read)
    }
}

/// Opens a file; a folder is none.
pub(crate) fn open_file(path: &std::path::Path) -> std::io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() { Err(std::io::ErrorKind::IsADirectory.into()) } else { Ok(file) }
}
