import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.KeyValueTextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.InputSampler;
import org.apache.hadoop.mapreduce.lib.partition.TotalOrderPartitioner;

/**
 * Sorts lines "key, tab, payload" by their keys: maps spill to disk, merge, and four reducers each take a range of keys. Then
 * reads the result back and compares it with the input. Usage: Sort SCRATCH RECORDS
 */
public final class Sort {
    private static long rows;
    private static long checksum;

    public static void main(String[] args) throws Exception {
        String scratch = args[0];
        Configuration conf = Local.configuration(scratch);
        // Small buffers, so that a map spills several times and merges in two steps.
        conf.setLong("mapreduce.input.fileinputformat.split.minsize", 96L << 20);
        conf.setInt("mapreduce.task.io.sort.mb", 24);
        conf.setInt("mapreduce.task.io.sort.factor", 4);

        Job job = Job.getInstance(conf, "sort");
        job.setJarByClass(Sort.class);
        job.setInputFormatClass(KeyValueTextInputFormat.class);
        FileInputFormat.addInputPath(job, new org.apache.hadoop.fs.Path("file://" + args[1]));
        job.setNumReduceTasks(4);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        FileOutputFormat.setOutputPath(job, Local.path(scratch, "out"));
        job.setPartitionerClass(TotalOrderPartitioner.class);
        TotalOrderPartitioner.setPartitionFile(job.getConfiguration(), Local.path(scratch, "ranges"));
        InputSampler.writePartitionFile(job, new InputSampler.SplitSampler<Text, Text>(20_000, 4));
        Local.run(job);
        Local.check(Local.count(job, TaskCounter.SPILLED_RECORDS) > 2 * Local.count(job, TaskCounter.MAP_INPUT_RECORDS),
                "the maps did not spill");

        read(Paths.get(args[1]), false);
        long expectedRows = rows;
        long expectedChecksum = checksum;
        rows = 0;
        checksum = 0;
        List<Path> parts;
        try (Stream<Path> files = Files.list(Paths.get(scratch, "out"))) {
            parts = files.filter(p -> p.getFileName().toString().startsWith("part-")).sorted().collect(Collectors.toList());
        }
        String last = "";
        for (Path part : parts) {
            String[] ends = read(part, true);
            Local.check(last.compareTo(ends[0]) <= 0, part + " begins too low");
            last = ends[1];
        }
        Local.check(rows == expectedRows, rows + " rows of " + expectedRows);
        Local.check(checksum == expectedChecksum, "rows were changed");
    }

    /** Adds a file's rows and their checksums, and returns its first and last key. */
    private static String[] read(Path path, boolean sorted) throws Exception {
        String first = null;
        String before = "";
        CRC32 crc = new CRC32();
        try (BufferedReader lines = Files.newBufferedReader(path, StandardCharsets.ISO_8859_1)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String key = line.substring(0, 10);
                Local.check(!sorted || before.compareTo(key) <= 0, path + " is not in order");
                first = first == null ? key : first;
                before = key;
                crc.reset();
                crc.update(line.getBytes(StandardCharsets.ISO_8859_1));
                checksum += crc.getValue();
                rows++;
            }
        }
        return new String[] {first == null ? "" : first, before};
    }

    private Sort() {}
}
