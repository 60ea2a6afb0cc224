import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/**
 * Writes files through Hadoop's file system, which adds a checksum for every 512 bytes, and reads them back, as maps of
 * two jobs; so many rounds. Usage: DiskIo SCRATCH FILES MEGABYTES ROUNDS
 */
public final class DiskIo {
    private static final String MEGABYTES = "io.megabytes";
    private static final String DATA = "io.data";

    /** Gets the number of a file and says its length and checksum. */
    abstract static class Task extends Mapper<LongWritable, Text, Text, Text> {
        final byte[] buffer = new byte[1 << 20];
        final CRC32 crc = new CRC32();
        FileSystem files;

        abstract long work(Path file, int number, int megabytes, Context context) throws IOException;

        @Override
        protected void map(LongWritable at, Text line, Context context) throws IOException, InterruptedException {
            Configuration conf = context.getConfiguration();
            Path file = new Path(conf.get(DATA), line.toString());
            files = FileSystem.get(conf);
            crc.reset();
            long bytes = work(file, Integer.parseInt(line.toString()), conf.getInt(MEGABYTES, 0), context);
            context.write(line, new Text(bytes + " " + crc.getValue()));
        }
    }

    public static final class Write extends Task {
        @Override
        long work(Path file, int number, int megabytes, Context context) throws IOException {
            new Random(number).nextBytes(buffer);
            try (FSDataOutputStream out = files.create(file, true)) {
                for (int i = 0; i < megabytes; i++) {
                    buffer[i % buffer.length]++;
                    out.write(buffer);
                    crc.update(buffer);
                    context.progress();
                }
            }
            return (long) megabytes * buffer.length;
        }
    }

    public static final class Read extends Task {
        @Override
        long work(Path file, int number, int megabytes, Context context) throws IOException {
            long bytes = 0;
            try (FSDataInputStream in = files.open(file)) {
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    crc.update(buffer, 0, n);
                    bytes += n;
                    context.progress();
                }
            }
            return bytes;
        }
    }

    public static void main(String[] args) throws Exception {
        String scratch = args[0];
        int count = Integer.parseInt(args[1]);
        int megabytes = Integer.parseInt(args[2]);
        int rounds = Integer.parseInt(args[3]);
        Configuration conf = Local.configuration(scratch);
        conf.setInt(MEGABYTES, megabytes);
        conf.set(DATA, Local.path(scratch, "data").toString());
        List<String> numbers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            numbers.add(Integer.toString(i));
        }
        Files.write(Paths.get(scratch, "numbers"), numbers);

        for (int round = 0; round < rounds; round++) {
            List<String> written = run(conf, scratch, "write-" + round, Write.class);
            for (String number : numbers) {
                flush(scratch + "/data/" + number);
            }
            List<String> read = run(conf, scratch, "read-" + round, Read.class);
            long bytes = 0;
            for (String line : read) {
                bytes += Long.parseLong(line.split("[\t ]")[1]);
            }
            Local.check(bytes == ((long) count * megabytes << 20), bytes + " bytes read");
            Local.check(written.equals(read), "other bytes were read than written");
        }
    }

    private static List<String> run(Configuration conf, String scratch, String name, Class<? extends Task> task)
            throws Exception {
        Job job = Job.getInstance(conf, name);
        job.setJarByClass(DiskIo.class);
        job.setInputFormatClass(NLineInputFormat.class);
        FileInputFormat.addInputPath(job, Local.path(scratch, "numbers"));
        job.setMapperClass(task);
        job.setNumReduceTasks(1);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        FileOutputFormat.setOutputPath(job, Local.path(scratch, name));
        Local.run(job);
        return Files.readAllLines(Paths.get(scratch, name, "part-r-00000"));
    }

    /** Waits until a file is on the disk and has it dropped from the page cache, so that reading means the disk. */
    private static void flush(String file) throws Exception {
        try (FileChannel channel = FileChannel.open(Paths.get(file), StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        Process drop = new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0", "status=none").inheritIO().start();
        Local.check(drop.waitFor() == 0, "dd failed");
    }

    private DiskIo() {}
}
